import { linkSync, lstatSync, type PathLike, renameSync, unlinkSync } from "node:fs";
import { noFreeName } from "./free_name.ts";

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

/** Names that are tried where other processes take one after the other. */
export const TRIES = 100;

/**
 * Gives a finished file the next name that is free, also where another process takes it first.
 *
 * @param nextName Looks for a name that is free; asked again after each one that was taken meanwhile.
 * @returns The name.
 * @throws Stop after 100 names.
 */
export function giveNextName(temporary: string, nextName: () => string): string {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const path = nextName();
    if (giveName(temporary, path)) return path;
  }
  throw noFreeName(nextName(), TRIES);
}
