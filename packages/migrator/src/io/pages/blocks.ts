import { readAt } from "@perdura/internals/files/guarded_file.js";

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
