import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** Directory in memory on Linux. */
const MEMORY = "/dev/shm";
const NAME = /^perdura-tests-(\d+)$/;
/** Maximum that the tests need, and as much for other programs. */
const NEEDED_BYTES = 4e9;

/**
 * A folder in memory that is removed when this process ends, or undefined without one or without enough space. Folders
 * of killed runs are removed first.
 */
export function memoryFolder(): string | undefined {
  if (process.platform !== "linux" || roomIn(MEMORY) < NEEDED_BYTES) return undefined;
  for (const name of readdirSync(MEMORY)) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) removeRemains(join(MEMORY, name));
  }
  const folder = join(MEMORY, `perdura-tests-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  // Like the folder of temporary files: some tests start programs of other users.
  chmodSync(folder, 0o1777);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** A killed run may have left a mounted file system, which cannot be removed; it is no reason not to run. */
function removeRemains(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    // Node.js 24 and later report no code.
    if (!["EBUSY", "EISDIR", "ENOTCONN", ""].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

function roomIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user.
    return (error as { code?: string }).code === "EPERM";
  }
}
