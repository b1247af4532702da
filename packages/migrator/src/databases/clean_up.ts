import type { Cleanup } from "../core/run.ts";
import type { Dirent } from "node:fs";
import { join } from "node:path";
import { isAbandoned, TEMPORARY_SUFFIX } from "@perdura/internals/files/temporary_names.js";
import { entriesIn } from "../io/entries.ts";

const SIDE_FILE = /-(?:journal|wal|shm)$/;

/** Removes what a run that was killed left unfinished in a directory: copies without a name, and SQLite's files beside them. */
export function removeUnfinished(directory: string, run: Cleanup): void {
  const names: string[] = [];
  for (const entry of entriesIn(directory)) if (isOurs(entry)) names.push(entry.name);
  for (const name of names) {
    const copy = name.replace(SIDE_FILE, "");
    if (isAbandoned(join(directory, name), copy)) run.discard(join(directory, copy));
  }
}

/** Directories are for `finishLeftovers`, which looks into them first. */
function isOurs(entry: Dirent): boolean {
  return !entry.isDirectory() && entry.name.includes(TEMPORARY_SUFFIX);
}
