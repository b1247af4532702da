import { closeSync, openSync, statSync } from "node:fs";
import { type Access, giveAccess, withoutGroup } from "@perdura/internals/files/access.js";

/**
 * Makes an empty file that belongs to whom `access` says before anything is in it: what is filled in later is never seen by
 * others on the way. This user may write to it in any case.
 */
export function createFileFor(path: string, { uid, gid, mode }: Access): void {
  const descriptor = openSync(path, "wx", 0o600);
  try {
    giveAccess(descriptor, { uid, gid, mode: mode | 0o600 });
  } finally {
    closeSync(descriptor);
  }
}

/** Makes an empty file that only this user can read. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, "wx", 0o600));
}

/**
 * Owner, group and mode of a file that tells of others: it belongs to the owner of all of them, is readable for those who
 * may read all of them, and writable for the owner only. Where they have several owners it stays this user's. Of what is
 * gone nobody knows who could read it.
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

/** The one value that all have that are there. */
function commonOf(values: readonly (number | undefined)[]): number | undefined {
  const [first, ...others] = new Set(values.filter((value) => value !== undefined));
  return others.length === 0 ? first : undefined;
}
