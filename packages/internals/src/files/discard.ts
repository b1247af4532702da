import { unlinkSync } from "node:fs";

/**
 * Removes a temporary file after something failed. Where that fails too, what failed first is what people need to hear; the
 * file is removed by the next call that finds it once this process is gone.
 */
export function discard(temporary: string): void {
  try {
    remove(temporary);
  } catch {
    // See above.
  }
}

/** Removes a temporary file after everything is done: where that fails, it is done all the same, and a warning names the file. */
export function tidyUp(temporary: string): void {
  try {
    remove(temporary);
  } catch (error) {
    process.emitWarning(
      `${temporary}: could not remove this temporary file (${(error as Error).message}). The operation itself succeeded; a later call removes the file.`,
      { type: "PerduraWarning", code: "PERDURA_NOT_REMOVED" },
    );
  }
}

/** `rmSync` would look at it first, which is one more call that can fail. */
function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
