import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isAbandoned } from "@perdura/internals/files/temporary_names.js";
import { removeCopy } from "./backup.ts";

const SIDE_FILE = /-(?:journal|wal|shm)$/;

/** Removes what a run that was killed left unfinished in a directory: copies without a name, and SQLite's files beside them. */
export function removeUnfinished(directory: string): void {
  for (const name of readdirSync(directory)) {
    const copy = name.replace(SIDE_FILE, "");
    if (isAbandoned(join(directory, name), copy)) removeCopy(join(directory, copy));
  }
}
