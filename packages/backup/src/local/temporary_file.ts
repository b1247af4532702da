import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { storageErrorOf, withStorage } from "@perdura/internals/files/storage_errors.js";
import { removeAbandonedTemporaries } from "@perdura/internals/files/abandoned_temporaries.js";
import { removeAfterFailure, removeAfterSuccess } from "@perdura/internals/files/remove_temporary.js";
import { assertTemporaryDirectory } from "@perdura/internals/files/temporary_directories.js";
import { temporaryName } from "@perdura/internals/files/temporary_names.js";

/** Suffixes of a file and of those that SQLite creates next to it. */
export const SIDE_FILES: readonly string[] = ["", "-journal", "-wal", "-shm"];

/**
 * Creates an empty file that only its owner may read, in a directory for temporary files, for the duration of a task. A
 * file that a killed process left is removed by the next call.
 */
export async function withFileInTemporaryDirectory<Result>(
  directory: string,
  hint: string,
  task: (path: string) => Promise<Result>,
): Promise<Result> {
  assertTemporaryDirectory(directory);
  withStorage(directory, "removing temporary files of killed programs", () => removeAbandonedTemporaries(directory));
  const path = join(directory, temporaryName(hint));
  withStorage(path, "creating", () => closeSync(openSync(path, "wx", 0o600)));
  const files = SIDE_FILES.map((suffix) => `${path}${suffix}`);
  let result: Result;
  try {
    result = await task(path);
  } catch (error) {
    files.forEach(removeAfterFailure);
    throw storageErrorOf(error, path, "using a temporary file");
  }
  files.forEach(removeAfterSuccess);
  return result;
}
