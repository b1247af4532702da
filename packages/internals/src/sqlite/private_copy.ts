import { accessSync, constants, existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { BusyError } from "../errors/errors.ts";
import { withStorage } from "../files/storage_errors.ts";
import { makePrivateDirectory, removePrivateDirectory } from "../files/private_directory.ts";
import { headerOf } from "./database_header.ts";
import { snapshotFiles } from "./snapshot.ts";

/** A copy of a database with its log, in a private directory. */
export interface PrivateCopy {
  path: string;
  remove: () => void;
}

/**
 * Copies a database and its log into the directory for temporary files, so that it can be read where SQLite could not
 * read it in place, or only with changes next to it.
 *
 * @param place The real path of the database.
 * @throws BusyError if another process kept changing it for the whole time.
 * @throws StorageError that names the directory for temporary files, for example if it is full.
 */
export function copyPrivately(place: string, shownAs: string, busyTimeoutMs: number): PrivateCopy {
  const directory = makePrivateDirectory(place);
  const remove = (): void => removePrivateDirectory(directory);
  try {
    if (!withStorage(shownAs, "reading", () => snapshotFiles(place, directory, busyTimeoutMs)))
      throw new BusyError(
        "another process kept writing to the database for longer than the busy time-out. Try again when that process has finished.",
        {
          path: shownAs,
        },
      );
    return { path: join(directory, basename(place)), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** True if this user can write to a database, and to its directory, in which SQLite keeps the log. */
export function isWritablePlace(place: string): boolean {
  try {
    for (const path of [place, dirname(place)]) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * True if a user who may not write can read a database in place: with a rollback journal always, with a write-ahead log
 * while another process has the database open.
 */
export function isReadableInPlace(place: string): boolean {
  return headerOf(place)?.isRollback !== false || ["-wal", "-shm"].every((suffix) => existsSync(`${place}${suffix}`));
}
