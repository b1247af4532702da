import { closeSync, fsyncSync, openSync, realpathSync } from "node:fs";
import { StorageError } from "@perdura/internals/errors/errors.js";
import { syncDone } from "@perdura/internals/files/sync_directory.js";

const DONE = "the restored content is in place";

/**
 * Brings to the disk what SQLite's backup committed. The connection that it writes with syncs neither a log that others have
 * open nor the directory that it removed a journal from: a power cut could take the commit back.
 *
 * @throws StorageError naming the database, whose content is replaced all the same.
 */
export function syncCopied(to: string): void {
  let file: string;
  try {
    // Log and journal lie beside the file itself, wherever a link to it is.
    file = realpathSync(to);
    syncIfThere(`${file}-wal`);
  } catch (error) {
    throw new StorageError(
      `${to}: ${DONE}, but its log could not be synced (${(error as Error).message}): a power cut may undo it.`,
      { path: to, cause: error },
    );
  }
  syncDone(file, DONE);
}

/** Whoever closes a database last merges the log, synced, and removes it. */
function syncIfThere(path: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r+");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
