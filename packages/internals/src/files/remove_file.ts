import { type PathLike, unlinkSync } from "node:fs";
import { explainMountPoint } from "./mount_point_error.ts";

/** Removes a file. @throws The error of the system; for a mount point, it names the way out. */
export function removeFile(path: PathLike): void {
  try {
    unlinkSync(path);
  } catch (error) {
    throw explainMountPoint(error as NodeJS.ErrnoException, path);
  }
}
