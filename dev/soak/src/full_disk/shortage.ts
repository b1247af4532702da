import { Disk } from "../disks/disk.ts";
import { fillInodesUntil, fillUntil, makeRoom } from "../disks/fill.ts";

/** Resources that run short: space, inodes, or the size that a process may give to a file (RLIMIT_FSIZE). */
export const SHORTAGES = ["tmpfs", "ext4", "tmpfs-inodes", "ext4-inodes", "file-size"] as const;
export type Shortage = (typeof SHORTAGES)[number];

/** Amount that is left: kB, or files. */
export interface Level {
  shortage: Shortage;
  left: number;
}

/** Name of a level for `--point`: `ext4:24`. */
export function nameOf({ shortage, left }: Level): string {
  return `${shortage}:${left}`;
}

/** Smallest step that makes a difference. */
export function stepOf(shortage: Shortage): number {
  return shortage.endsWith("inodes") ? 1 : shortage === "tmpfs" ? 4 : 1;
}

/** More than any operation needs. */
export function mostOf(shortage: Shortage): number {
  return shortage.endsWith("inodes") ? 40 : 8192;
}

const MEGABYTES = 24;

/** A disk with a shortage. */
export class ShortDisk {
  readonly #disk: Disk;
  readonly #level: Level;

  /** @param place A directory on a file system with enough space. */
  constructor(place: string, level: Level) {
    this.#level = level;
    const kind = level.shortage.startsWith("ext4") ? "ext4" : "tmpfs";
    const limited = level.shortage.endsWith("inodes") ? { inodes: 512 } : {};
    this.#disk = new Disk(place, { kind, megabytes: MEGABYTES, ...limited });
  }

  get directory(): string {
    return this.#disk.directory;
  }

  /** Words in front of a command that limit it. */
  get limiting(): string[] {
    const { shortage, left } = this.#level;
    return shortage === "file-size" ? ["prlimit", `--fsize=${left * 1024}`, "--"] : [];
  }

  /** Leaves this much from now on. */
  fill(): void {
    const { shortage, left } = this.#level;
    if (shortage.endsWith("inodes")) fillInodesUntil(this.directory, left);
    else if (shortage !== "file-size") fillUntil(this.directory, left);
  }

  /** Frees the space again. */
  relieve(): void {
    makeRoom(this.directory);
  }

  remove(): Promise<void> {
    return this.#disk.remove();
  }
}

/** Messages for a full disk. SQLite reports a file above its size limit as a disk error. */
const FULL_DISK_MESSAGE = /no space left|disk is full|too little disk space|too small for a copy|quota/i;
const FILE_SIZE_MESSAGE = /file too large|disk I\/O error|database or disk is full/i;

/** True if the message of an error names the shortage. */
export function namesShortage({ shortage }: Level, message: string): boolean {
  // oxlint-disable-next-line messages/no-decisions -- the words themselves are judged
  return (shortage === "file-size" ? FILE_SIZE_MESSAGE : FULL_DISK_MESSAGE).test(message);
}
