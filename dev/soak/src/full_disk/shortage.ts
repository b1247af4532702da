import { Disk } from "../disks/disk.ts";
import { fillInodesUntil, fillUntil, makeRoom } from "../disks/fill.ts";

/** What there is too little of: room, names for files, or the size that a process may give to a file (RLIMIT_FSIZE). */
export const SHORTAGES = ["tmpfs", "ext4", "tmpfs-inodes", "ext4-inodes", "file-size"] as const;
export type Shortage = (typeof SHORTAGES)[number];

/** So much of it is left: kB, or files. */
export interface Level {
  shortage: Shortage;
  left: number;
}

/** How a level is called, for repeating it: `ext4:24`. */
export function nameOf({ shortage, left }: Level): string {
  return `${shortage}:${left}`;
}

/** The least that makes a difference. */
export function stepOf(shortage: Shortage): number {
  return shortage.endsWith("inodes") ? 1 : shortage === "tmpfs" ? 4 : 1;
}

/** Nobody needs more than that. */
export function mostOf(shortage: Shortage): number {
  return shortage.endsWith("inodes") ? 40 : 8192;
}

const MEGABYTES = 24;

/** A disk on which things become short. */
export class ShortDisk {
  readonly #disk: Disk;
  readonly #level: Level;

  /** @param place A directory on a file system with room. */
  constructor(place: string, level: Level) {
    this.#level = level;
    const kind = level.shortage.startsWith("ext4") ? "ext4" : "tmpfs";
    const few = level.shortage.endsWith("inodes") ? { inodes: 512 } : {};
    this.#disk = new Disk(place, { kind, megabytes: MEGABYTES, ...few });
  }

  get directory(): string {
    return this.#disk.directory;
  }

  /** Words before a command that is to be limited. */
  get limiting(): string[] {
    const { shortage, left } = this.#level;
    return shortage === "file-size" ? ["prlimit", `--fsize=${left * 1024}`, "--"] : [];
  }

  /** From now on so much is left. */
  fill(): void {
    const { shortage, left } = this.#level;
    if (shortage.endsWith("inodes")) fillInodesUntil(this.directory, left);
    else if (shortage !== "file-size") fillUntil(this.directory, left);
  }

  /** Somebody has made room. */
  relieve(): void {
    makeRoom(this.directory);
  }

  remove(): Promise<void> {
    return this.#disk.remove();
  }
}

/** How people are told that nothing fits any more. A file that may not grow is a disk error to SQLite. */
const SAID = /no space left|disk is full|too little disk space|quota/i;
const SAID_OF_SIZE = /file too large|disk I\/O error|database or disk is full/i;

/** True for an error that tells what is short. */
export function tellsOf({ shortage }: Level, message: string): boolean {
  return (shortage === "file-size" ? SAID_OF_SIZE : SAID).test(message);
}
