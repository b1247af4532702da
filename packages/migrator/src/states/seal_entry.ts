import { closeSync, fchmodSync, fsyncSync, openSync } from "node:fs";
import { giveAccess, giveLink } from "@perdura/internals/files/access.js";
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

/**
 * Gives what is written its owner and mode. It has its content and its time; neither changes by that.
 *
 * @param sync Sync it as well. The mode may forbid to do that later.
 */
export function seal(path: string | Buffer, entry: Entry, { trusted }: Likeness, sync: boolean): void {
  if (entry.kind === "link") {
    // A link has no mode of its own, and is synced with the directory that it lies in.
    if (trusted) giveLink(path, entry);
    return;
  }
  if (entry.kind === "directory" && process.platform === "win32") return;
  // Windows syncs only what is open for writing.
  const descriptor = openSync(path, process.platform === "win32" ? "r+" : "r");
  try {
    if (trusted) giveAccess(descriptor, entry);
    else fchmodSync(descriptor, entry.mode & 0o7777 & (entry.kind === "directory" ? 0o7777 : ~SET_IDS));
    if (sync) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
