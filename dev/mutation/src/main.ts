import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readExplanations } from "./explanations.ts";
import { measure, readFigures } from "./figures.ts";
import { writePage } from "./page.ts";
import { reportFile } from "./report.ts";
import { chosenFolders, concerns, sourceFolders, SUITES } from "./sources.ts";
import { runStryker } from "./stryker.ts";
import { throwawayCopy } from "./throwaway_copy.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

const HELP = `Change the sources in a copy, one place at a time, and list the changes that
no test notices.

  pnpm mutation [FOLDER …] [--suite conformance|whole] [--minutes N]
  pnpm mutation --page

FOLDER is a folder of sources, with its subfolders [all, the longest ago
measured first]. Results are kept in dev/mutation/results: a run repeats
only what changed or has new tests. A folder that was completed gets its
figures in dev/mutation/figures.json and README.md.

  --suite conformance  run the cases of the conformance suite [both suites]
  --suite whole        run the tests of the packages
  --minutes N          stop after N minutes; the next run continues
  --page               only update the figures in README.md
  --help               print this help

Example: pnpm mutation packages/v16/src --suite conformance
`;

/** @throws {Error} for wrong usage. */
function argumentsFrom(words: string[], known: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      suite: { type: "string" },
      minutes: { type: "string", default: "Infinity" },
      page: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  const suites = SUITES.filter((suite) => values.suite === undefined || suite === values.suite);
  if (suites.length === 0) throw new Error(`--suite: expected ${SUITES.join(" or ")}, got ${values.suite}.`);
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error(`--minutes: expected a number greater than 0, got ${values.minutes}.`);
  return { ...values, folders: chosenFolders(known, positionals), suites, minutes };
}

/** Returns the exit code. */
async function main(words: string[]): Promise<number> {
  const sources = sourceFolders(root);
  let given: ReturnType<typeof argumentsFrom>;
  try {
    given = argumentsFrom(words, [...sources.keys()]);
  } catch (error) {
    console.error(`${(error as Error).message} See pnpm mutation --help.`);
    return 2;
  }
  if (given.help) console.log(HELP);
  else if (given.page) writePage(root);
  else return tryFolders(sources, given);
  return 0;
}

async function tryFolders(
  sources: ReadonlyMap<string, readonly string[]>,
  { folders, suites, minutes }: ReturnType<typeof argumentsFrom>,
): Promise<number> {
  const leftOpen = readExplanations(root).left_open.flatMap(({ files }) => files);
  const stop = new AbortController();
  const interrupted = (): void => stop.abort(130);
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
  const timer = Number.isFinite(minutes) ? setTimeout(() => stop.abort(0), minutes * 60_000) : undefined;
  const copy = throwawayCopy(root);
  try {
    for (const folder of oldestFirst(folders))
      for (const suite of suites) {
        const files = sources.get(folder)?.filter((file) => concerns(suite, file, leftOpen)) ?? [];
        if (files.length === 0) continue;
        console.log(`\n${folder}, ${suite}`);
        await runStryker(copy, suite, folder, files, reportFile(root, suite, folder), stop.signal);
        const open = measure(root, folder, suite, files, copy.commit);
        writePage(root);
        for (const { file, at, in: place, change, was, became } of open)
          console.log(`${file}:${at} (in ${place}, change ${change})  ${was}  →  ${became}`);
        console.log(`${open.length} neither found nor explained`);
      }
    return 0;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    console.error("Stopped. The next run continues from here.");
    return stop.signal.reason as number;
  } finally {
    clearTimeout(timer);
    copy.remove();
    process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
  }
}

function oldestFirst(folders: readonly string[]): string[] {
  const figures = readFigures(root);
  const day = (folder: string): string => figures[folder]?.whole?.measured ?? "";
  return folders.toSorted((a, b) => day(a).localeCompare(day(b)));
}

process.exitCode = await main(process.argv.slice(2));
