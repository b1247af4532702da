import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import type { Soak } from "./soak.ts";
import { SOAKS } from "./soaks.ts";

const USAGE = `usage: pnpm soak [NAME …] [--minutes N] [--seed N] [--share PERCENT] [--only TEXT] [--point NAME] [--json FILE]
       pnpm soak --page

Makes trouble for perdura and looks at what it left. Ends with 0 when nothing was lost and nothing was wrong, with 1 when
something was, with 2 when it could not be tried, with 130 when it was interrupted. Without a NAME, all that this machine can do:
${SOAKS.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`).join("\n")}

  --minutes N      go on for so long, round after round, each with the next seed; without it, one round of each
  --seed N         where chance begins (default 1): the same seed tries the same things
  --share PERCENT  so much of a round (default 100; with --minutes 10, so that every kind has its turn)
  --only TEXT      only rows whose name has TEXT in it
  --point NAME     only the point of that name, for example program:pwrite64:17 (all but power_cut, together and long_life);
                   for crash, errors and interrupt also its beginning: program:statx is every such call
  --dir DIRECTORY  try the file system that this directory is on (default: that of the temporary files)
  --json FILE      where the report goes (default soak-report.json)
  --page           tries nothing, only writes the figures of docs/reliability.md again, from the reports in dev/soak/results
  --help           this text`;

/** Requests of the command line. */
export interface Wishes {
  soaks: readonly Soak[];
  /** True if no soak was named; soaks that this machine cannot run are then left out. */
  all: boolean;
  minutes: number | null;
  seed: number;
  share: number;
  only: string | undefined;
  point: string | undefined;
  directory: string;
  json: string;
}

/**
 * Reads the command line.
 *
 * @returns "page" if the page of figures is requested, `{ text }` for a text to print.
 * @throws Error for unknown or out-of-range arguments.
 */
export function wishesFrom(words: readonly string[]): Wishes | { text: string } | "page" {
  const text = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      minutes: text,
      seed: text,
      share: text,
      only: text,
      point: text,
      dir: text,
      json: text,
      page: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) return { text: USAGE };
  if (values.page === true) return "page";
  const unknown = positionals.filter((name) => !SOAKS.some((soak) => soak.name === name));
  if (unknown.length > 0)
    throw new Error(`There is no soak called ${unknown.join(", ")}, only ${SOAKS.map(({ name }) => name).join(", ")}.`);
  return {
    soaks: SOAKS.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
    all: positionals.length === 0,
    minutes: values.minutes === undefined ? null : numberIn("minutes", values.minutes, 0.01, 100_000),
    seed: wholeNumberIn("seed", values.seed ?? "1"),
    share: numberIn("share", values.share ?? (values.minutes === undefined ? "100" : "10"), 0.001, 100) / 100,
    only: values.only,
    point: values.point,
    directory: existing("dir", values.dir ?? tmpdir()),
    json: besideOthers("json", values.json ?? "soak-report.json"),
  };
}

function numberIn(option: string, text: string, least: number, most: number): number {
  const number = /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new Error(`--${option}: expected a number from ${least} to ${most}, got ${text}.`);
}

function wholeNumberIn(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`--${option}: expected a whole number from 0 to 999999999, got ${text}.`);
}

function existing(option: string, directory: string): string {
  if (existsSync(directory)) return resolve(directory);
  throw new Error(`--${option}: expected a directory that exists, got ${directory}.`);
}

function besideOthers(option: string, file: string): string {
  if (existsSync(dirname(resolve(file)))) return resolve(file);
  throw new Error(`--${option}: expected a file in a directory that exists, got ${file}.`);
}
