import { closeSync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { StorageError } from "../errors/errors.ts";

/** Makes a rename or a removal in `directory` survive a power cut. Windows cannot open directories and needs no such call. */
export function syncDirectory(directory: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Syncs the directory of a path with which something was done that everybody sees already. Where that fails, it is done all
 * the same, and the error says so: nobody may be told that all is as it was.
 *
 * @param done What was done, as the begin of a sentence: `The new content is in place`.
 * @throws StorageError naming the path.
 */
export function syncDone(path: string, done: string): void {
  try {
    syncDirectory(dirname(path));
  } catch (error) {
    throw new StorageError(
      `${done}, but its directory could not be synced (${(error as Error).message}): the change may be lost in a power failure.`,
      { path, cause: error, mayBeWritten: true },
    );
  }
}
