import { closeSync, openSync, readSync } from "node:fs";
import { isOpenInProcess } from "@perdura/internals/sqlite/open_files.js";

/**
 * Bytes of a read: a multiple of every page size of SQLite. Two blocks fit into the cache of a processor core; a comparison with
 * blocks of a megabyte takes three times as long.
 */
export const BLOCK: number = 1 << 17;

/** Yields the content of a file; each block overwrites the previous one, and only the last may be shorter. */
export function* blocks(descriptor: number): Generator<Buffer, void> {
  const block = Buffer.allocUnsafeSlow(BLOCK);
  for (let position = 0; ;) {
    const filled = readAt(descriptor, block, position);
    if (filled === 0) return;
    yield block.subarray(0, filled);
    position += filled;
  }
}

/** Fills `buffer` from `position` on; returns the number of bytes read. */
export function readAt(descriptor: number, buffer: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < buffer.length) {
    const read = readSync(descriptor, buffer, filled, buffer.length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return filled;
}

/**
 * Descriptors of files that a connection of this process has open. Closing any descriptor of a file drops all POSIX locks
 * of the process on it, including SQLite's own: another process could then write during a migration.
 */
const kept: Set<number> = new Set();

/** Opens a file for a function, and closes it afterwards, even after an error. */
export function withFile<Result>(path: string, use: (descriptor: number) => Result, flags = "r"): Result {
  const descriptor = openSync(path, flags);
  try {
    return use(descriptor);
  } finally {
    kept.add(descriptor);
    closeUnlocked();
  }
}

/** Closes the descriptors that {@link withFile} kept, except of files that a connection of this process still has open. */
export function closeUnlocked(): void {
  for (const descriptor of kept) {
    if (isOpenInProcess(descriptor)) continue;
    kept.delete(descriptor);
    closeSync(descriptor);
  }
}
