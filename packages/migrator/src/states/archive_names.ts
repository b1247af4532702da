import { randomBytes } from "node:crypto";
import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { temporaryName } from "@perdura/internals/files/temporary_names.js";
import { LONGEST_PATH } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../core/stop.ts";
import { freeArchivePath } from "./archive_place.ts";

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
