import { accessSync, constants, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { Stop } from "../core/stop.ts";
import { type EntryName, parentOf, pathBelow, shownName } from "./entry_name.ts";
import { type Excludes, walkTree } from "./walk_tree.ts";

const STICKY = 0o1000;

/**
 * Looks whether this user may remove what lies in a directory, before anything is: a removal that fails in the middle
 * cannot be undone.
 *
 * @param isWhole The directory itself goes as well. Then directories of this user may get another mode.
 * @throws Stop that names the directory in which something would stay.
 */
export function assertRemovable(root: string, excludes: Excludes, isWhole: boolean): void {
  if (isWhole && assertEmptiable(dirname(root), dirname(root), false) && !isOwn(lstatSync(root).uid))
    refuse(root, "another user's");
  let seen: { directory: EntryName; isSticky: boolean } | undefined;
  for (const { name, excluded } of walkTree(root, excludes)) {
    if (excluded) continue;
    const directory = parentOf(name);
    const path = directory === "" ? root : pathBelow(root, directory);
    if (seen?.directory !== directory)
      seen = { directory, isSticky: assertEmptiable(path, shownPath(root, directory), isWhole) };
    if (seen.isSticky && !isOwn(lstatSync(pathBelow(root, name)).uid)) refuse(shownPath(root, name), "another user's");
  }
}

function shownPath(root: string, name: EntryName): string {
  return name === "" ? root : `${root}/${shownName(name)}`;
}

/** Returns whether everybody may remove only what is theirs from a directory of another user. */
function assertEmptiable(path: string | Buffer, shown: string, mayChange: boolean): boolean {
  const { mode, uid } = lstatSync(path);
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!(mayChange && isOwn(uid) && code === "EACCES")) refuse(shown, code ?? String(error));
  }
  return (mode & STICKY) !== 0 && !isOwn(uid);
}

/** The superuser is stopped by no owner. */
function isOwn(uid: number): boolean {
  const user = process.geteuid?.() ?? uid;
  return user === 0 || user === uid;
}

function refuse(path: string, why: string): never {
  throw new Stop(
    "refused",
    `You may not remove everything in it: ${path} (${why}). Nothing of it is removed. Run as a user who may, or change the modes.`,
  );
}
