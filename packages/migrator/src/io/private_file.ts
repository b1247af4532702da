import { closeSync, openSync, statSync } from "node:fs";
import { type Access, applyAccess, withoutGroup } from "@perdura/internals/files/access.js";

/**
 * Creates an empty file with the given owner, group and mode, so that other users cannot read the content while it is
 * written. This user can always write to it.
 */
export function createFileFor(path: string, { uid, gid, mode }: Access): void {
  const descriptor = openSync(path, "wx", 0o600);
  try {
    applyAccess(descriptor, { uid, gid, mode: mode | 0o600 });
  } finally {
    closeSync(descriptor);
  }
}

/** Creates an empty file that only this user can read. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, "wx", 0o600));
}

/**
 * Owner, group and mode of a file with data from other files: it has their common owner, is readable for users who can
 * read all of them, and writable for the owner only. Without a common owner it stays this user's. The readers of a
 * missing file are unknown, so it makes the result private.
 */
export function accessWithin(paths: readonly string[]): Access {
  const found = paths.map((path) => statSync(path, { throwIfNoEntry: false }));
  const uid = commonOf(found.map((stat) => stat?.uid));
  const gid = commonOf(found.map((stat) => stat?.gid));
  const mode = found.reduce((within, stat) => within & ((stat?.mode ?? 0) | 0o600), 0o644);
  return {
    uid: uid ?? process.geteuid?.() ?? 0,
    gid: gid ?? process.getegid?.() ?? 0,
    mode: gid === undefined ? withoutGroup(mode) : mode,
  };
}

/** The common value of all existing files, if they have one. */
function commonOf(values: readonly (number | undefined)[]): number | undefined {
  const [first, ...others] = new Set(values.filter((value) => value !== undefined));
  return others.length === 0 ? first : undefined;
}
