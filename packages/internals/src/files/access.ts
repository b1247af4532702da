import { chmodSync, fchmodSync, fchownSync, fstatSync, lchownSync, lstatSync, type Stats, statSync } from "node:fs";

/** Owner, group and mode of a file, as `stat` returns them. */
export interface Access {
  uid: number;
  gid: number;
  mode: number;
}

const GROUP = 0o070;
const SET_GROUP_ID = 0o2000;

/**
 * Gives an open file the owner, group and mode of another file, as far as this user may: the superuser can change the
 * owner, and another user can only choose a group of their own. If the group cannot be set, the group of the file gets
 * only the rights of all users.
 */
export function applyAccess(descriptor: number, { uid, gid, mode }: Access): void {
  const isGroups = applyOwner(
    { uid, gid },
    () => fstatSync(descriptor),
    (user) => fchownSync(descriptor, user, gid),
  );
  setMode(descriptor, isGroups ? mode : withoutGroup(mode));
}

/** Rights of other users to read a file, or to list and search a directory. */
const readersAmongOthers = (stats: Stats): number => stats.mode & (stats.isDirectory() ? 0o055 : 0o044);

/**
 * Sets the mode of a file. A file system that gives all its files one mode may refuse that; this is accepted if no
 * further users can then read it. (Where such a file system lets all users write, they can also replace any file.)
 *
 * @param file A path or a descriptor.
 * @param tolerated A mode whose readers may keep their rights.
 * @throws The error of the system, with both modes, if further users could read the file.
 */
export function setMode(file: string | number, mode: number, tolerated: number = mode): void {
  const wanted = mode & 0o7777;
  try {
    if (typeof file === "number") fchmodSync(file, wanted);
    else chmodSync(file, wanted);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!PERMISSION_CODES.has(code ?? "")) throw error;
    const found = typeof file === "number" ? fstatSync(file) : statSync(file);
    if ((readersAmongOthers(found) & ~(mode | tolerated)) === 0) return;
    const given = (found.mode & 0o777).toString(8);
    const reason = `the file system gives the file the mode ${given} instead of ${wanted.toString(8)}, so that more users could read it`;
    throw Object.assign(error as Error, { message: `${message} (${reason})` });
  }
}

/** Gives a symbolic link an owner and a group; a link has no mode. */
export function giveLink(path: string | Buffer, owner: Omit<Access, "mode">): void {
  applyOwner(
    owner,
    () => lstatSync(path),
    (user) => lchownSync(path, user, owner.gid),
  );
}

/** The mode with group rights reduced to the rights of all users. */
export function withoutGroup(mode: number): number {
  return (mode & ~(GROUP | SET_GROUP_ID)) | (mode & GROUP & (mode << 3));
}

/** Error codes for a user who may not give files away, and for file systems without owners. */
const PERMISSION_CODES = new Set(["EPERM", "EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Keeps the current owner. */
const NO_CHANGE = -1;

/**
 * Sets owner and group, or the group alone. Returns false if the file keeps another group, because this user may set
 * neither.
 */
function applyOwner({ uid, gid }: Omit<Access, "mode">, stat: () => Stats, give: (uid: number) => void): boolean {
  const found = stat();
  if (found.uid === uid && found.gid === gid) return true;
  for (const user of [uid, NO_CHANGE])
    try {
      give(user);
      return true;
    } catch (error) {
      if (!PERMISSION_CODES.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  return found.gid === gid;
}
