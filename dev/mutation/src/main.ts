import { basename, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { HELP, type Wishes, wishesFrom } from "./arguments.ts";
import { writeTable } from "./page/write_table.ts";
import { hasOpen, stale } from "./results/coverage.ts";
import { forgetFiles } from "./results/results_folder.ts";
import { standingOf } from "./results/staleness.ts";
import { portions } from "./run/portions.ts";
import { runFiles } from "./run/run_files.ts";
import { chosenFolders, concerns, sourceFolders } from "./sources.ts";
import { testsFor } from "./whole/tests_for.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** `pnpm mutation`: see `--help`. */
async function main(words: readonly string[]): Promise<number> {
  const sources = sourceFolders(root);
  let wishes: Wishes;
  let folders: string[];
  try {
    wishes = wishesFrom(words);
    folders = chosenFolders([...sources.keys()], wishes.folders);
  } catch (error) {
    console.error(`${(error as Error).message} See pnpm mutation --help.`);
    return 2;
  }
  if (wishes.help) {
    console.log(HELP);
    return 0;
  }
  for (const [folder, files] of sources)
    forgetFiles(
      root,
      folder,
      files.map((file) => basename(file)),
    );
  const chosen = wishes.page ? [] : folders.map((folder) => sources.get(folder) ?? []);
  const sameTests = (a: string, b: string): boolean => testsFor([a]) === testsFor([b]);
  try {
    for (const portion of portions(chosen, sameTests, wishes.every)) await tryAll(portion, wishes);
  } catch (error) {
    if ((error as Error).name !== "AbortError") throw error;
    console.error("Interrupted. What was recorded stays; the next call goes on from there.");
    return 130;
  } finally {
    writeTable(root);
  }
  const old = stale(root, sources);
  if (old.length > 0) console.log(`Edited since their mutants were tried: ${old.join(", ")}`);
  return 0;
}

/** Tries files on every suite that concerns them. */
async function tryAll(
  files: readonly string[],
  { suites, again, left, minutes, every, seconds, tests }: Wishes,
): Promise<void> {
  for (const suite of suites) {
    if (performance.now() > minutes * 60_000) return;
    const of = suite === "whole" ? every : 1;
    const wanted = files.filter((file) => {
      const folder = posix.dirname(file);
      const isFresh = standingOf(root, folder, file, suite, of) === "fresh";
      return concerns(suite, file) && (left ? isFresh && hasOpen(root, file) : again || !isFresh);
    });
    if (wanted.length === 0) continue;
    const folders = [...new Set(wanted.map((file) => posix.dirname(file)))];
    console.log(`\n${suite}: ${wanted.length} files of ${folders.join(", ")}`);
    await runFiles(root, suite, wanted, { every: of, left, seconds, tests });
    writeTable(root);
  }
}

process.exitCode = await main(process.argv.slice(2));
