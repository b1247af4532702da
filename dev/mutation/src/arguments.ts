import { parseArgs } from "node:util";
import { SUITES, type Suite } from "./results/file_result.ts";

/** What `pnpm mutation` is asked for. */
export interface Wishes {
  folders: string[];
  suites: Suite[];
  again: boolean;
  /** Only what an earlier run left, and nobody explained, is tried, on all tests. */
  left: boolean;
  /** After so many no further run is begun. */
  minutes: number;
  /** One mutant of so many is tried on all tests. */
  every: number;
  /** So long the tests of a mutant may take. */
  seconds: number;
  /** Files or folders of tests, the only ones to try; all that concern a source without any. */
  tests: string[];
  page: boolean;
  help: boolean;
}

export const HELP = `pnpm mutation [folder …] [--suite whole|conformance] [--again | --left] [--minutes N] [--every N]
              [--seconds N] [--tests PATH …]
pnpm mutation --page

Changes the sources in a copy, one place at a time, and looks whether a test notices. Folders are named from the root of
the repository, each with what is below it; without a name it is every folder. Files whose result is not stale are left
out, unless --again. Results are put into dev/mutation/results as they come, and the table of dev/mutation/README.md is written.

  --suite whole        all tests that concern the folder
  --suite conformance  the conformance suite alone
                       (without --suite: first conformance, then whole, which tries only what the first one left)
  --again              also files whose result is not stale
  --left               tries again, on all tests, only what they left without an explanation: for tests that are new
  --minutes N          begins no further run after N minutes; the next call goes on
  --every N            tries one mutant of N on all tests, always the same ones: a sample, and counted as one
  --seconds N          the tests of one mutant may take N seconds (60 unless told otherwise): the quickest that reach it
                       are tried, and what only others would notice counts as not found
  --tests PATH         tries these files or folders of tests only, where one knows which notice something; repeat it for
                       several. What only others would notice counts as not found
  --page               tries nothing, only writes the figures of dev/mutation/README.md again, and says which are stale
`;

/** @throws {Error} for what it does not know. */
export function wishesFrom(words: readonly string[]): Wishes {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      suite: { type: "string" },
      again: { type: "boolean" },
      left: { type: "boolean" },
      minutes: { type: "string" },
      every: { type: "string" },
      seconds: { type: "string" },
      tests: { type: "string", multiple: true },
      page: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  const suites = SUITES.filter((suite) => values.suite === undefined || suite === values.suite);
  if (suites.length === 0) throw new Error(`--suite is ${values.suite}; choose ${SUITES.join(" or ")}.`);
  const number = (name: "minutes" | "every" | "seconds", otherwise: number): number => {
    const given = values[name] === undefined ? otherwise : Number(values[name]);
    if (given > 0 && (name !== "every" || Number.isInteger(given))) return given;
    throw new Error(`--${name} is ${values[name]}; give a ${name === "every" ? "whole " : ""}number above 0.`);
  };
  const [minutes, every, seconds] = [number("minutes", Infinity), number("every", 1), number("seconds", 60)];
  const { again = false, left = false, tests = [], page = false, help = false } = values;
  if (left && (again || values.suite === "conformance"))
    throw new Error("--left tries what all tests left: neither --again nor --suite conformance goes with it.");
  const chosen: Suite[] = left ? ["whole"] : suites;
  return { folders: positionals, suites: chosen, again, left, minutes, every, seconds, tests, page, help };
}
