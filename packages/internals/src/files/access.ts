import { fchmodSync, fchownSync, fstatSync, lchownSync, lstatSync, type Stats } from "node:fs";

/** Owner, group and mode of a file, as `stat` gives them: who may use it. */
export interface Access {
  uid: number;
  gid: number;
  mode: number;
}

const GROUP = 0o070;
const SET_GROUP_ID = 0o2000;

/**
 * Gives an open file the owner, group and mode of another, as far as this user may: the superuser gives it away, another
 * user gives it to a group that they are in. A group that stays another one gets only the rights that everybody has.
 */
export function giveAccess(descriptor: number, { uid, gid, mode }: Access): void {
  const isGroups = giveOwner(
    { uid, gid },
    () => fstatSync(descriptor),
    (user) => fchownSync(descriptor, user, gid),
  );
  fchmodSync(descriptor, (isGroups ? mode : withoutGroup(mode)) & 0o7777);
}

/** Does so for a symbolic link, which has no mode of its own. */
export function giveLink(path: string | Buffer, owner: Omit<Access, "mode">): void {
  giveOwner(
    owner,
    () => lstatSync(path),
    (user) => lchownSync(path, user, owner.gid),
  );
}

/** A mode in which the group may do only what everybody may. */
export function withoutGroup(mode: number): number {
  return (mode & ~(GROUP | SET_GROUP_ID)) | (mode & GROUP & (mode << 3));
}

/** Answers of systems and file systems that do not let this user give files away, or know no owners. */
const MAY_NOT = new Set(["EPERM", "EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Leaves the owner as it is. */
const NO_CHANGE = -1;

/** Gives owner and group, or the group alone; false where the file has another group now, because this user may do neither. */
function giveOwner({ uid, gid }: Omit<Access, "mode">, stat: () => Stats, give: (uid: number) => void): boolean {
  const found = stat();
  if (found.uid === uid && found.gid === gid) return true;
  for (const user of [uid, NO_CHANGE])
    try {
      give(user);
      return true;
    } catch (error) {
      if (!MAY_NOT.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  return found.gid === gid;
}
