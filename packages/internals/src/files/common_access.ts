import { statSync } from "node:fs";
import { type Access, withoutGroup } from "./access.ts";
import { aclOf, mayHideAcl } from "./acl.ts";

/**
 * Owner, group and mode of a file with data from other files: readable only for users who may read every one of them
 * (ruling U-derived-access), writable for the owner only. The owner and the group are those of all files, else those of
 * this user.
 */
export class CommonAccess {
  readonly #uids = new Set<number>();
  readonly #gids = new Set<number>();
  #mode = 0o644;

  /** @param found A file, or a directory on the way to one, which must be searched, but not listed. */
  add({ uid, gid, mode }: Access, isDirectory: boolean): void {
    this.#uids.add(uid);
    this.#gids.add(gid);
    this.#mode &= (isDirectory ? (mode & 0o111) << 2 : mode) | 0o600;
  }

  /** Adds a path; the readers of a missing file are unknown, so it makes the result private. */
  addPath(path: string): void {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) this.#mode &= 0o600;
    else this.add(found, found.isDirectory());
    if (found !== undefined && mayHideAcl(found.mode) && aclOf(path) !== undefined) this.addAcl();
  }

  /** Adds a file with an access control list: the bits of its group are not those of the group. */
  addAcl(): void {
    this.#mode = withoutGroup(this.#mode);
  }

  /** True if the group has rights that an access control list of a file may not give it. */
  mayHideAcl(): boolean {
    return mayHideAcl(this.#mode);
  }

  get(): Access {
    const gid = onlyOf(this.#gids);
    return {
      uid: onlyOf(this.#uids) ?? process.geteuid?.() ?? 0,
      gid: gid ?? process.getegid?.() ?? 0,
      mode: gid === undefined ? withoutGroup(this.#mode) : this.#mode,
    };
  }
}

/** Owner, group and mode of a file with data from files at these paths. */
export function accessOf(paths: Iterable<string>): Access {
  const readers = new CommonAccess();
  for (const path of paths) readers.addPath(path);
  return readers.get();
}

const onlyOf = (values: ReadonlySet<number>): number | undefined => (values.size === 1 ? [...values][0] : undefined);
