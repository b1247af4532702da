import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { command } from "./commands.ts";

const KB = 1024;
const PIECE = Buffer.alloc(64 * KB);
const fillerOf = (disk: string): string => join(disk, "filler");

/** Fills a disk with a file until this many kB are free, or a few more because of the block size. */
export function fillUntil(disk: string, kilobytes: number): void {
  // Pending writes may need more or less space than estimated.
  command("sync", "--file-system", disk);
  const descriptor = openSync(fillerOf(disk), "w");
  try {
    let size = 0;
    for (;;) {
      const { bavail, bsize } = statfsSync(disk);
      const room = bavail * bsize - kilobytes * KB;
      if (room < bsize) break;
      const written = writeSome(descriptor, Math.min(room, PIECE.length));
      size += written;
      if (written === 0) break;
    }
    fsyncSync(descriptor);
    // The metadata of the file took some of the space that has to stay free.
    const { bavail, bsize } = statfsSync(disk);
    const short = kilobytes * KB - bavail * bsize;
    if (short > 0 && short <= size) ftruncateSync(descriptor, size - short);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function writeSome(descriptor: number, bytes: number): number {
  try {
    return writeSync(descriptor, PIECE, 0, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") return 0;
    throw error;
  }
}

/** Makes empty files until only this many more fit. */
export function fillInodesUntil(disk: string, left: number): void {
  const { ffree } = statfsSync(disk);
  for (let number = 0; number < ffree - left; number += 1) writeFileSync(`${fillerOf(disk)}-${number}`, "");
}

/** Removes the files that {@link fillUntil} and {@link fillInodesUntil} wrote, in any process. */
export function makeRoom(disk: string): void {
  for (const name of readdirSync(disk)) if (name.startsWith("filler")) rmSync(join(disk, name));
}
