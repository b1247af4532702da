import type { PathLike } from "node:fs";

/**
 * Explains the error of a rename or a removal. POSIX systems refuse to replace or remove a mount point, such as a single
 * file that is bound into a container.
 *
 * @returns The same error, whose message names the cause and what to do if it is that.
 */
export function explainMountPoint(error: NodeJS.ErrnoException, path: PathLike): Error {
  if (process.platform === "win32" || error.code !== "EBUSY") return error;
  const reason = `EBUSY: a mount point cannot be replaced, renamed or removed, ${String(path)}; if the file is bound into a container, bind its directory instead`;
  return Object.assign(error, { message: reason });
}
