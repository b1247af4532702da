import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { isAbandoned, isTemporaryName } from "./temporary_names.ts";

/**
 * Number of names (hard links) of a file. Does not count the temporary name next to it of a writer that was killed
 * after it had given the file its final name: no program opens the file by it, and the next run removes it.
 */
export const namesOfFile = (path: string): number => namesWithout(path, (name) => isAbandoned(name));

/**
 * Number of names under which programs may open a file: a temporary name next to it does not count, because a writer
 * that has given the file its final name is about to remove it.
 */
export const lastingNamesOf = (path: string): number => namesWithout(path, (_, name) => isTemporaryName(name));

function namesWithout(path: string, isIgnored: (path: string, name: string) => boolean): number {
  if (lstatSync(path).nlink <= 1) return 1;
  const { dev, ino } = lstatSync(path, { bigint: true });
  let ignored = 0;
  for (const name of readdirSync(dirname(path))) {
    const other = join(dirname(path), name);
    if (!isIgnored(other, name)) continue;
    const found = lstatSync(other, { bigint: true, throwIfNoEntry: false });
    if (found?.dev === dev && found.ino === ino) ignored += 1;
  }
  // Counted after the names, because the writer may have removed its own in the meantime.
  return Math.max(1, lstatSync(path).nlink - ignored);
}
