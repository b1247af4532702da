import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { temporaryName } from "@perdura/internals/files/temporary_names.js";
import { LONGEST_PATH } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";
import { ARCHIVE_SUFFIX } from "../../io/own_files.ts";
import { nextFile, numberedFiles } from "../../io/placing.ts";
import { isArchive } from "./open_archive.ts";

/** The newest archive of a state directory, or undefined. */
export function newestArchive(directory: string): string | undefined {
  return archiveNames(directory).findLast(isArchive);
}

/** A free name for a new archive. */
export function freeArchivePath(directory: string): string {
  return nextFile(`${directory}.v15`, ARCHIVE_SUFFIX);
}

/** A note on an archive that is not the newest. */
export function olderArchive(path: string): string {
  return `older archive: ${path}`;
}

/** Names of the archives of a state directory, oldest first. The files are not opened. */
export function archiveNames(directory: string): string[] {
  return numberedFiles(`${directory}.v15`, ARCHIVE_SUFFIX);
}

/** A new temporary name for an archive of a state directory, or for a file that helps to write it. */
export function temporaryIn(place: string, directory: string): string {
  return join(place, temporaryName(basename(directory)));
}

/** @throws Stop if the path of the archive, or of its temporary file, would be too long. */
export function assertNameable(directory: string): void {
  for (const path of [freeArchivePath(directory), temporaryIn(dirname(directory), directory)]) {
    const bytes = Buffer.byteLength(path);
    if (bytes > LONGEST_PATH)
      throw new Stop(
        "refused",
        `Cannot archive the directory: the path of the archive, ${path}, has ${bytes} bytes, and SQLite opens paths of up to ${LONGEST_PATH} bytes. Move the directory to a shorter path, then run this command again.`,
      );
    if (isTooLong(path))
      throw new Stop(
        "refused",
        `Cannot archive the directory: the name of the archive, ${basename(path)} (${Buffer.byteLength(basename(path))} bytes), is too long for this file system. Give the directory a shorter name, then run this command again.`,
      );
  }
}

/** The limit depends on the file system, so the file system is asked. */
function isTooLong(path: string): boolean {
  try {
    lstatSync(path, { throwIfNoEntry: false });
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENAMETOOLONG") return true;
    throw error;
  }
}

/** Sentences, without a full stop, about archives that earlier reports name and that no longer exist. */
export function missingArchives(reported: readonly string[]): string[] {
  return reported
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) === undefined)
    .map((path) => `An archive that an earlier report lists is missing: ${path}`);
}

/**
 * Purpose of a temporary directory: `restoring` and `extracting` are filled and then renamed, `pruned` is being
 * removed.
 */
type TemporaryUse = "restoring" | "extracting" | "pruned";

/** A new name next to a state directory that shows the purpose and the directory. */
export function temporaryDirectory(use: TemporaryUse, directory: string): string {
  const name = temporaryName(`${use}.${basename(directory)}`);
  return join(dirname(directory), name);
}

/** True if a temporary directory may have this purpose for that state directory; long names are cut. */
export function isTemporaryOf(name: string, use: TemporaryUse, directory: string): boolean {
  return hintOf(name) === hintOf(basename(temporaryDirectory(use, directory)));
}

/** True for a temporary directory with this purpose. */
export function isTemporaryFor(name: string, use: TemporaryUse): boolean {
  return name.startsWith(`.${use}.`);
}

function hintOf(name: string): string {
  return name.replace(/\.[0-9a-f]{8}-\d+-[0-9a-f]+\.perdura-tmp$/, "");
}
