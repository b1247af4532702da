import { randomBytes } from "node:crypto";
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

/** The name for a new archive; never that of something that is there. */
export function freeArchivePath(directory: string): string {
  return nextFile(`${directory}.v15`, ARCHIVE_SUFFIX);
}

/** A note on an archive that is not the newest. */
export function olderArchive(path: string): string {
  return `an older archive: ${path}`;
}

/** What has the name of an archive of a state directory, whatever it holds: oldest first. */
export function archiveNames(directory: string): string[] {
  return numberedFiles(`${directory}.v15`, ARCHIVE_SUFFIX);
}

/** A new name, in a place, for a file that becomes the archive of a state directory, or helps with that. */
export function temporaryIn(place: string, directory: string): string {
  return join(place, temporaryName(basename(directory), randomBytes(4).toString("hex")));
}

/** @throws Stop when an archive of the directory could not have its name, or that which it has while it is written. */
export function assertNameable(directory: string): void {
  for (const path of [freeArchivePath(directory), temporaryIn(dirname(directory), directory)]) {
    const bytes = Buffer.byteLength(path);
    if (bytes > LONGEST_PATH)
      throw new Stop(
        "refused",
        `The archive would be ${path}, a path of ${bytes} bytes, and SQLite opens paths of up to ${LONGEST_PATH} bytes. Move the directory to a shorter path first.`,
      );
    if (isTooLong(path))
      throw new Stop(
        "refused",
        `The archive would be ${path}, and ${basename(path)} is too long a name for this file system (${Buffer.byteLength(basename(path))} bytes). Give the directory a shorter name first.`,
      );
  }
}

/** Only the file system knows how long a name may be. */
function isTooLong(path: string): boolean {
  try {
    lstatSync(path, { throwIfNoEntry: false });
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENAMETOOLONG") return true;
    throw error;
  }
}

/** Sentences, without a full stop, on the archives that reports of earlier runs name and that are not there any more. */
export function archivesGone(reported: readonly string[]): string[] {
  return reported
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) === undefined)
    .map((path) => `The archive that a report names is gone: ${path}`);
}

/**
 * What a temporary directory is for: `restoring` and `extracting` are filled and then given their name, `pruned` is on its
 * way out.
 */
type TemporaryUse = "restoring" | "extracting" | "pruned";

/** A new name beside a state directory, which tells what for and of which directory it is. */
export function temporaryDirectory(use: TemporaryUse, directory: string): string {
  const name = temporaryName(`${use}.${basename(directory)}`, randomBytes(4).toString("hex"));
  return join(dirname(directory), name);
}

/** True when a temporary directory may be one of this use for that state directory; long names are cut. */
export function isTemporaryOf(name: string, use: TemporaryUse, directory: string): boolean {
  return hintOf(name) === hintOf(basename(temporaryDirectory(use, directory)));
}

/** True for a temporary directory of this use. */
export function isTemporaryFor(name: string, use: TemporaryUse): boolean {
  return name.startsWith(`.${use}.`);
}

function hintOf(name: string): string {
  return name.replace(/\.[0-9a-f]{8}-\d+-[0-9a-f]+\.perdura-tmp$/, "");
}
