import { accessSync, constants, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** Directory in memory on Linux. */
const MEMORY = "/dev/shm";

/** Free space that a run must find there; it needs a twentieth of it. */
const NEEDED_BYTES = 1e9;

/**
 * The folder for files that are needed for a moment: `TMPDIR`, `TMP` or `TEMP` if one is set. Otherwise it is in memory where that is
 * possible, because implementations wait for the disk after each record, and the suite kills processes but no machine.
 */
export function temporaryFolder(): string {
  const isChosen = ["TMPDIR", "TMP", "TEMP"].some((name) => (process.env[name] ?? "") !== "");
  return !isChosen && hasRoomInMemory() ? MEMORY : tmpdir();
}

function hasRoomInMemory(): boolean {
  if (process.platform !== "linux") return false;
  try {
    accessSync(MEMORY, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false;
  }
}
