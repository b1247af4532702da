import { closeSync, openSync, statSync } from "node:fs";

/** Makes an empty file that only this user can read; what is filled in later is never seen by others on the way. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, "wx", 0o600));
}

/**
 * The mode of a file that tells of others: readable for those who may read all of them, writable for the owner only. Of
 * what is gone nobody knows who could read it.
 */
export function modeWithin(paths: readonly string[]): number {
  return paths.reduce((mode, path) => mode & ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) | 0o600), 0o644);
}
