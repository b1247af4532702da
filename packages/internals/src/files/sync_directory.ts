import { closeSync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { StorageError } from "../errors/errors.ts";
import { quotaReason } from "./out_of_space.ts";

/** Makes a rename or a removal in `directory` durable. Windows cannot open directories and needs no such call. */
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
 * Syncs the directory of a path after a change that other processes can already see. If the sync fails, the change has
 * still been made, and the error states that.
 *
 * @param done The change, as the beginning of a sentence: `the new content is in place`.
 * @throws StorageError that names the path.
 */
export function syncDone(path: string, done: string): void {
  try {
    syncDirectory(dirname(path));
  } catch (error) {
    throw new StorageError(
      `${done}, but its directory could not be synced (${quotaReason(error) ?? (error as Error).message}): the change may be lost in a power failure.`,
      { path, cause: error, mayBeWritten: true },
    );
  }
}
