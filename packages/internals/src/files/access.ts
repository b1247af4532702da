import { fchmodSync, fchownSync, fstatSync, lchownSync, lstatSync, type Stats } from "node:fs";

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
  fchmodSync(descriptor, (isGroups ? mode : withoutGroup(mode)) & 0o7777);
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
