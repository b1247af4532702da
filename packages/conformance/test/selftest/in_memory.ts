import { statfsSync } from "node:fs";

const PLACE = "/dev/shm";
const ROOM = 1 << 30;

/**
 * Lets what follows in this process work in a file system in memory, where Linux has one with room. Whole runs of the
 * suite, one for each way of doing things, are about what is written and not about where; without syncs they take half
 * the time.
 */
export function workInMemory(): void {
  if (process.platform !== "linux" || !hasRoom()) return;
  process.env["TMPDIR"] = PLACE;
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(PLACE);
    return bavail * bsize >= ROOM;
  } catch {
    // A machine without it takes the disk.
    return false;
  }
}
