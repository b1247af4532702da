import { chmodSync, lstatSync, opendirSync, rmdirSync, unlinkSync } from "node:fs";
import { type EntryName, nameFromBytes, pathBelow } from "./entry_name.ts";

/** How far a removal is. */
export interface Removal {
  /** Files, links and directories that are gone; the directory that they lay in does not count. */
  removed: number;
}

/**
 * Removes a directory and everything in it, links not followed; nothing where there is none. Takes no memory for a
 * directory with millions of entries, and passes directories that may not be written to.
 *
 * @param removal Counts along. Where it fails before anything is removed, everything is as it was.
 */
export function removeTree(root: string, removal: Removal = { removed: 0 }): void {
  if (lstatSync(root, { throwIfNoEntry: false }) === undefined) return;
  const open: EntryName[] = [""];
  const opened: Opened[] = [];
  try {
    for (let name = open.at(-1); name !== undefined; name = open.at(-1)) {
      const path = name === "" ? root : pathBelow(root, name);
      allow(path, opened);
      const found = emptied(root, name, path, removal);
      if (typeof found === "string") open.push(found);
      else if (found === 0) {
        rmdirSync(path);
        open.pop();
        if (name !== "") removal.removed += 1;
      }
      if (removal.removed > 0) opened.length = 0;
    }
  } catch (error) {
    for (const { path, mode } of opened.toReversed()) chmodSync(path, mode);
    throw error;
  }
}

/** A directory that was given another mode. */
interface Opened {
  path: string | Buffer;
  mode: number;
}

function allow(path: string | Buffer, opened: Opened[]): void {
  const { mode, uid } = lstatSync(path);
  // Others' directories may be open to this user, who could not change their modes.
  if ((mode & 0o700) === 0o700 || uid !== (process.geteuid?.() ?? uid)) return;
  chmodSync(path, 0o700);
  opened.push({ path, mode: mode & 0o7777 });
}

const AS_BYTES = { encoding: "buffer" as BufferEncoding };

/**
 * Removes the files in a directory. Returns a directory that it met, or how many files there were: some systems pass over
 * names while others are removed, so only a directory in which none was met is empty.
 */
function emptied(root: string, name: EntryName, path: string | Buffer, removal: Removal): EntryName | number {
  const directory = opendirSync(path as string, AS_BYTES);
  let removed = 0;
  try {
    for (let found = directory.readSync(); found !== null; found = directory.readSync()) {
      const part = nameFromBytes(found.name as unknown as Buffer);
      const inner = name === "" ? part : `${name}/${part}`;
      if (found.isDirectory()) return inner;
      unlinkSync(pathBelow(root, inner));
      removed += 1;
      removal.removed += 1;
    }
    return removed;
  } finally {
    directory.closeSync();
  }
}
