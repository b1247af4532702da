import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import type { FileResult, Suite } from "./file_result.ts";

/** The results of a folder of sources: by the name of the file, by suite. */
export type FolderResults = Record<string, Partial<Record<Suite, FileResult>>>;

const fileOf = (root: string, folder: string): string => join(root, "dev", "mutation", "results", `${folder}.json`);

/** What is known of a folder of sources, such as `packages/internals/src/json`. */
export function readFolder(root: string, folder: string): FolderResults {
  const file = fileOf(root, folder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as FolderResults) : {};
}

/** Puts the result of one source file beside the others of its folder. */
export function recordResult(root: string, source: string, suite: Suite, result: FileResult): void {
  const folder = posix.dirname(source);
  const results = readFolder(root, folder);
  const name = basename(source);
  writeFolder(root, folder, { ...results, [name]: { ...results[name], [suite]: result } });
}

/** Drops what is known of files that exist no more. */
export function forgetFiles(root: string, folder: string, present: readonly string[]): void {
  const results = readFolder(root, folder);
  const kept = Object.fromEntries(Object.entries(results).filter(([name]) => present.includes(name)));
  if (Object.keys(kept).length < Object.keys(results).length) writeFolder(root, folder, kept);
}

/** Every folder that has results. */
export function recordedFolders(root: string): string[] {
  const top = join(root, "dev", "mutation", "results");
  if (!existsSync(top)) return [];
  return readdirSync(top, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.replaceAll("\\", "/").slice(0, -".json".length))
    .sort();
}

/** Sorted by name, so that equal results are equal bytes; put in place at once, so that an interruption spoils nothing. */
function writeFolder(root: string, folder: string, results: FolderResults): void {
  const sorted = Object.entries(results)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { conformance, whole }]) => [name, { ...(conformance && { conformance }), ...(whole && { whole }) }]);
  const file = fileOf(root, folder);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  renameSync(`${file}.new`, file);
}
