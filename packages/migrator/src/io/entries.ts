import { type Dirent, opendirSync, statSync } from "node:fs";
import { fileVersion } from "@perdura/internals/files/file_version.js";

/** Yields the entries of a directory one by one: there may be millions, and callers need few of them. */
export function* entriesIn(directory: string): Generator<Dirent, void, undefined> {
  const opened = opendirSync(directory, { bufferSize: 256 });
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) yield entry;
  } finally {
    opened.closeSync();
  }
}

/** True if one of the entries matches; stops at the first match. */
export function someEntry(directory: string, isWanted: (entry: Dirent) => boolean): boolean {
  for (const entry of entriesIn(directory)) if (isWanted(entry)) return true;
  return false;
}

/** A stamp that changes when a program saves a file. */
export function stampOfFile(path: string): string {
  return fileVersion(statSync(path, { bigint: true }));
}
