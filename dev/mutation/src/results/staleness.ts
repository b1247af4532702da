import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { hashOf, type Suite } from "./file_result.ts";
import { readFolder } from "./results_folder.ts";

/**
 * Whether a source file has a result of a suite, and one of the file as it is now.
 * @param every A result of fewer mutants than one of so many is as none.
 */
export function standingOf(
  root: string,
  folder: string,
  file: string,
  suite: Suite,
  every: number = Infinity,
): "missing" | "stale" | "fresh" {
  const result = readFolder(root, folder)[basename(file)]?.[suite];
  if (!result || (result.one_of ?? 1) > every) return "missing";
  return result.sha256 === hashOf(readFileSync(join(root, file), "utf8")) ? "fresh" : "stale";
}
