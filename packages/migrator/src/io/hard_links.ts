import { type BigIntStats, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { isAbandoned } from "@perdura/internals/files/temporary_names.js";
import { entriesIn } from "./entries.ts";

/**
 * Number of names (hard links) of a file. Does not count the temporary name next to it of a writer that was killed
 * after it had given the file its final name: no program opens the file by it, and the next run removes it.
 */
export function namesOfFile(path: string): number {
  const file = lstatSync(path, { bigint: true });
  const names = Number(file.nlink);
  return names === 1 ? 1 : names - abandonedNames(dirname(path), file);
}

function abandonedNames(directory: string, { dev, ino }: BigIntStats): number {
  let count = 0;
  for (const { name } of entriesIn(directory)) {
    const path = join(directory, name);
    if (!isAbandoned(path)) continue;
    const other = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (other?.dev === dev && other.ino === ino) count += 1;
  }
  return count;
}
