import { accessSync, chmodSync, constants, lstatSync, opendirSync, rmdirSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { Stop } from "../../core/stop.ts";
import { mountPointsNow } from "../../io/mount_points.ts";
import { type EntryName, nameFromBytes, parentOf, pathBelow, shownName } from "./entry_name.ts";
import { type Excludes, walkTree } from "./walk_tree.ts";

/** Progress of a removal. */
export interface Removal {
  /** Number of removed files, links and directories; the root directory does not count. */
  removed: number;
}

/**
 * Removes a directory and everything in it without following links; does nothing if it does not exist. Memory use does
 * not depend on the number of entries, and directories without write permission get it.
 *
 * @param removal Counts along. If it fails before an entry is removed, nothing is changed.
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

/** A directory whose mode was changed. */
interface Opened {
  path: string | Buffer;
  mode: number;
}

function allow(path: string | Buffer, opened: Opened[]): void {
  const { mode, uid } = lstatSync(path);
  // This user may have access to directories of other users, but cannot change their modes.
  if ((mode & 0o700) === 0o700 || uid !== (process.geteuid?.() ?? uid)) return;
  chmodSync(path, 0o700);
  opened.push({ path, mode: mode & 0o7777 });
}

const AS_BYTES = { encoding: "buffer" as BufferEncoding };

/**
 * Removes the files in a directory. Returns a directory that it found, or the number of removed files: some systems
 * skip names while others are removed, so the directory is empty only after a pass that found none.
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

const STICKY = 0o1000;

/**
 * Checks that this user may remove the content of a directory, before anything is removed: a removal that fails in the
 * middle cannot be undone.
 *
 * @param isWhole True if the directory itself is removed as well. Then directories of this user may get another mode.
 * @throws Stop that names the directory in which something would stay.
 */
export function assertRemovable(root: string, excludes: Excludes, isWhole: boolean): void {
  const what = "the directory completely";
  if (isWhole && assertEmptiable(dirname(root), { what, shown: dirname(root) }, false) && !isOwn(lstatSync(root).uid))
    refuse({ what, shown: root }, "owned by another user");
  assertEntriesRemovable(root, includedIn(root, excludes), what, isWhole);
}

function* includedIn(root: string, excludes: Excludes): Generator<EntryName, void, undefined> {
  for (const { name, excluded } of walkTree(root, excludes)) if (!excluded) yield name;
}

/**
 * Checks the same for some entries of a directory, each after its parents.
 *
 * @param what The entries together, for the error.
 * @param mayChange True if directories of this user may get another mode.
 */
export function assertEntriesRemovable(
  root: string,
  names: Iterable<EntryName>,
  what: string,
  mayChange = false,
): void {
  const isMountPoint = mountPointsNow();
  let seen: { directory: EntryName; isSticky: boolean } | undefined;
  for (const name of names) {
    const directory = parentOf(name);
    const path = directory === "" ? root : pathBelow(root, directory);
    if (seen?.directory !== directory)
      seen = { directory, isSticky: assertEmptiable(path, { what, shown: shownPath(root, directory) }, mayChange) };
    const entry = pathBelow(root, name);
    const place = { what, shown: shownPath(root, name) };
    if (isMountPoint(entry)) refuse(place, "a mount point", "Unmount it, or bind the whole directory instead.");
    if (seen.isSticky && !isOwn(lstatSync(entry).uid)) refuse(place, "owned by another user");
  }
}

function shownPath(root: string, name: EntryName): string {
  return name === "" ? root : `${root}/${shownName(name)}`;
}

/** Returns true for a sticky directory of another user, in which users may remove only their own files. */
function assertEmptiable(path: string | Buffer, place: Place, mayChange: boolean): boolean {
  const { mode, uid } = lstatSync(path);
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!(mayChange && isOwn(uid) && code === "EACCES")) refuse(place, code ?? String(error));
  }
  return (mode & STICKY) !== 0 && !isOwn(uid);
}

/** The superuser may remove files of all users. */
function isOwn(uid: number): boolean {
  const user = process.geteuid?.() ?? uid;
  return user === 0 || user === uid;
}

/** A path that would stay, of what is removed. */
interface Place {
  what: string;
  shown: string;
}

const USERS_WAY_OUT = "Run as a user who can remove all files, or change the modes.";

function refuse({ what, shown }: Place, why: string, wayOut = USERS_WAY_OUT): never {
  throw new Stop("refused", `Cannot remove ${what}: ${shown} (${why}). Nothing was removed. ${wayOut}`);
}
