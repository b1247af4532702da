import { type Dirent, opendirSync, statSync } from "node:fs";

/** The entries of a directory, one at a time: there may be millions, and few of them are wanted. */
export function* entriesIn(directory: string): Generator<Dirent, void, undefined> {
  const opened = opendirSync(directory, { bufferSize: 256 });
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) yield entry;
  } finally {
    opened.closeSync();
  }
}

/** True when one of the entries is as wanted; those behind it are not looked at. */
export function someEntry(directory: string, isWanted: (entry: Dirent) => boolean): boolean {
  for (const entry of entriesIn(directory)) if (isWanted(entry)) return true;
  return false;
}

/** What changes when a program saves a file. */
export function stampOfFile(path: string): string {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}
