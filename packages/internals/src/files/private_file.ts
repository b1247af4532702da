import { closeSync, openSync } from "node:fs";
import type { Access } from "./access.ts";
import { giveAccess } from "./acl.ts";

/**
 * Creates an empty file with the given owner, group and mode, so that other users cannot read the content while it is
 * written. This user can always write to it.
 */
export function createFileFor(path: string, { uid, gid, mode }: Access): void {
  const descriptor = openSync(path, "wx", 0o600);
  try {
    giveAccess(path, descriptor, { uid, gid, mode: mode | 0o600 });
  } finally {
    closeSync(descriptor);
  }
}

/** Creates a file in a given way, unless another process has created it in the meantime. */
export function unlessCreated(create: () => void): void {
  try {
    create();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Creates an empty file that only this user can read. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, "wx", 0o600));
}
