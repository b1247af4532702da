import { randomBytes } from "node:crypto";
import { closeSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { withStorage } from "@perdura/internals/errors/storage_errors.js";
import { removeAbandonedTemporaries } from "@perdura/internals/files/abandoned_temporaries.js";
import { temporaryName } from "@perdura/internals/files/temporary_names.js";

/**
 * Gives a task an empty file that only its owner may read; it is gone afterwards. What a killed process left is removed by
 * the next.
 */
export async function withTemporaryFile<Result>(
  directory: string,
  hint: string,
  task: (path: string) => Promise<Result>,
): Promise<Result> {
  removeAbandonedTemporaries(directory);
  const path = join(directory, temporaryName(hint, randomBytes(8).toString("hex")));
  withStorage(path, "creating", () => closeSync(openSync(path, "wx", 0o600)));
  try {
    return await task(path);
  } finally {
    for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
  }
}
