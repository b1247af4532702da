import { statSync } from "node:fs";
import { dirname } from "node:path";
import { temporaryDirectories } from "@perdura/internals/files/temporary_directories.js";
import { freeBytes, isWritableDirectory } from "./access.ts";
import { statsOf } from "./stats_of.ts";

/**
 * Lets SQLite sort large tables where most space is free: in a directory for temporary files, or in one of the given
 * directories. SQLite removes the name of such a file as soon as it has created it. The variable has an effect until
 * SQLite is loaded; a value that the user has set is kept.
 */
export function chooseTemporaryDirectory(targets: readonly string[]): void {
  if (process.env["SQLITE_TMPDIR"] !== undefined) return;
  const places = [...temporaryDirectories(), ...targets.map(directoryOf)].filter((place) => isWritableDirectory(place));
  const [best] = places.toSorted((one, other) => freeBytes(other) - freeBytes(one));
  if (best !== undefined) process.env["SQLITE_TMPDIR"] = best;
}

function directoryOf(target: string): string {
  const found = statsOf(target);
  return found === undefined || found.isDirectory() ? target : dirname(target);
}

/** Size of the largest sort in relation to the database. */
const SORTED = 0.6;

/**
 * Describes missing space for the temporary files of a migration, or null.
 *
 * @param place Directory that needs `needed` bytes for other files.
 */
export function temporaryShortage(bytes: number, place: string, needed: number): string | null {
  const [directory] = temporaryDirectories();
  if (directory === undefined)
    return "No directory for temporary files is writable. Set the environment variable TMPDIR to one, then run this command again.";
  const isShared = statSync(directory).dev === statSync(place).dev;
  const wanted = Math.ceil(bytes * SORTED) + (isShared ? needed : 0);
  const free = freeBytes(directory);
  return free < wanted
    ? `Too little disk space for temporary files in ${directory}: ${wanted} bytes are needed at most, ${free} are free. Free disk space, or set the environment variable TMPDIR to another directory.`
    : null;
}
