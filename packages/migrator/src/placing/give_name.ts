import { linkSync, lstatSync, type PathLike, renameSync, unlinkSync } from "node:fs";

/** What a file system without hard links answers. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/**
 * Gives a finished file its name; a rename would replace what another process put there in the meantime.
 *
 * @returns False when the name is taken; nothing was changed then.
 */
export function giveName(temporary: PathLike, path: PathLike): boolean {
  try {
    linkSync(temporary, path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw error;
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return false;
    renameSync(temporary, path);
    return true;
  }
  unlinkSync(temporary);
  return true;
}
