import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";

/**
 * Gives a function a descriptor of a file: one that this process has already, if there is one, else a new one, which is
 * closed afterwards. Closing any descriptor of a file drops all POSIX locks that the process holds on it, so that a
 * program which judges a database that it has open itself could lose rows.
 * @param use must read at positions.
 */
export function withDescriptor<Result>(path: string, use: (descriptor: number) => Result): Result {
  const own = ownDescriptor(path);
  if (own !== undefined) return use(own);
  const descriptor = openSync(path, "r");
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The place in which the system lists the descriptors of a process; Windows has none, and there closing drops no locks. */
const LIST = process.platform === "linux" ? "/proc/self/fd" : "/dev/fd";

function ownDescriptor(path: string): number | undefined {
  const { dev, ino } = statSync(path, { bigint: true });
  return listed().find((descriptor) => {
    try {
      const state = fstatSync(descriptor, { bigint: true });
      return state.dev === dev && state.ino === ino;
    } catch {
      // Closed since it was listed.
      return false;
    }
  });
}

function listed(): number[] {
  try {
    return readdirSync(LIST).map(Number);
  } catch {
    return [];
  }
}

/** Reads bytes from a position on; fewer at the end of the file. */
export function readBytes(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(descriptor, bytes, filled, length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}
