import { closeSync, fchmodSync, fchownSync, fsyncSync, lchownSync, openSync } from "node:fs";
import type { Entry } from "./walk_tree.ts";

/** How like the archived entries the written ones become. */
export interface Likeness {
  /**
   * True for an archive that is known to be of this very directory: owners and groups are set where this user may, and files
   * keep the bits with which they run as their owner. An archive of whatever origin must not have that.
   */
  trusted: boolean;
}

const SET_IDS = 0o6000;

/** Only the superuser gives files back to their owners. */
export function isSuperuser(): boolean {
  return process.geteuid?.() === 0;
}

/**
 * Gives what is written its owner and mode. It has its content and its time; neither changes by that.
 *
 * @param sync Sync it as well. The mode may forbid to do that later.
 */
export function seal(path: string | Buffer, entry: Entry, { trusted }: Likeness, sync: boolean): void {
  const isOwnerSet = trusted && isSuperuser();
  const isGroupSet = trusted && !isOwnerSet && process.platform !== "win32";
  if (entry.kind === "link") {
    // A link has no mode of its own, and is synced with the directory that it lies in.
    if (isOwnerSet) lchownSync(path, entry.uid, entry.gid);
    if (isGroupSet) tryGroup(() => lchownSync(path, -1, entry.gid));
    return;
  }
  if (entry.kind === "directory" && process.platform === "win32") return;
  // Windows syncs only what is open for writing.
  const descriptor = openSync(path, process.platform === "win32" ? "r+" : "r");
  try {
    // First the owner: to change it takes those bits away.
    if (isOwnerSet) fchownSync(descriptor, entry.uid, entry.gid);
    if (isGroupSet) tryGroup(() => fchownSync(descriptor, -1, entry.gid));
    fchmodSync(descriptor, entry.mode & 0o7777 & (trusted || entry.kind === "directory" ? 0o7777 : ~SET_IDS));
    if (sync) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A user may give what is theirs to another group that they are in; to others it stays in the group that it has. */
function tryGroup(setGroup: () => void): void {
  try {
    setGroup();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
  }
}
