import { type Stats, statfsSync, statSync } from "node:fs";

/** A time of a change is at most this much older than the change itself, in milliseconds: systems use a coarse clock. */
const COARSE_MS = 50;

/**
 * File systems of Linux that change `ctime` of a directory whenever a name in it is added, removed or replaced, and keep
 * it exactly. Unlike `mtime`, programs cannot set it back, as `rsync -a` does: ext4, XFS, Btrfs, F2FS, tmpfs, and overlays of these.
 */
const EXACT = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994, 0x794c7630]);

/**
 * A directory whose names did not change since a look at it, as far as its time of change can show that. One system call
 * answers for all files in it; a call for each file would add a tenth to the time of recording a row.
 */
export class WatchedDirectory {
  readonly #path: string;
  #seen: Stats | undefined;
  /** Time before which a look cannot help, in ms since 1970: just opened, the directory has got a new log. */
  #notBefore = Date.now() + COARSE_MS;

  constructor(path: string) {
    this.#path = path;
  }

  /** True if no name in the directory changed since the last {@link look}; false if that is not known. */
  isUnchanged(): boolean {
    const seen = this.#seen;
    if (seen === undefined) return false;
    const found = this.#stat();
    return found?.ctimeMs === seen.ctimeMs && found.ino === seen.ino && found.dev === seen.dev;
  }

  /** Remembers the present state, unless a change of this moment could have the same time. */
  look(): void {
    this.#seen = undefined;
    const now = Date.now();
    if (now < this.#notBefore) return;
    const found = this.#stat();
    if (found === undefined || !EXACT.has(statfsSync(this.#path).type)) this.#notBefore = Number.POSITIVE_INFINITY;
    else if (now - found.ctimeMs > COARSE_MS) this.#seen = found;
    else this.#notBefore = found.ctimeMs + COARSE_MS + 1;
  }

  /** Forgets the last look: the files in the directory are to be checked one by one. */
  forget(): void {
    this.#seen = undefined;
  }

  #stat(): Stats | undefined {
    try {
      return statSync(this.#path, { throwIfNoEntry: false });
    } catch {
      // A program that has given up its rights.
      return undefined;
    }
  }
}
