import { type PathLike, renameSync, statSync } from "node:fs";
import { sleep } from "../runtime/sleep.ts";
import { explainMountPoint } from "./mount_point_error.ts";

/** Error codes of a rename on Windows while any program, for example a virus scanner, has one of the files open. */
const HELD = new Set(["EPERM", "EACCES", "EBUSY"]);

/** Pauses between the attempts, in milliseconds: about two seconds in total. */
const PAUSES_MS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/**
 * Renames a file or a directory, and replaces an existing file. Windows refuses this while a program has one of the
 * files open, which is often over after a moment, so the rename is retried there for about two seconds.
 *
 * @param pausesMs Pauses between the attempts.
 * @throws The error of the last attempt; both names are unchanged then.
 */
export function renameFile(from: PathLike, to: PathLike, pausesMs: readonly number[] = PAUSES_MS): void {
  for (const pause of process.platform === "win32" ? pausesMs : []) {
    try {
      return renameSync(from, to);
    } catch (error) {
      if (!HELD.has((error as NodeJS.ErrnoException).code ?? "") || isDirectory(to)) throw error;
    }
    sleep(pause);
  }
  try {
    renameSync(from, to);
  } catch (error) {
    throw explainMountPoint(error as NodeJS.ErrnoException, to);
  }
}

/** Windows replaces no directory, also later. */
function isDirectory(path: PathLike): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
