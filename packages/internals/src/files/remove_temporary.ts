import { unlinkSync } from "node:fs";

/**
 * Removes a temporary file after a failure. An error of the removal is ignored, because the first error is more
 * important; a later call removes the file after this process has ended.
 */
export function removeAfterFailure(temporary: string): void {
  try {
    remove(temporary);
  } catch {
    // The first error is more important.
  }
}

/**
 * Removes a temporary file after a success. If that fails, a process warning names the file, and the operation still
 * counts as successful.
 */
export function removeAfterSuccess(temporary: string): void {
  try {
    remove(temporary);
  } catch (error) {
    process.emitWarning(
      `${temporary}: could not remove this temporary file (${(error as Error).message}). The operation itself succeeded; a later call removes the file.`,
      { type: "PerduraWarning", code: "PERDURA_NOT_REMOVED" },
    );
  }
}

/** Removes a file that may be missing. `rmSync` would call `stat` first, which is one more call that can fail. */
function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
