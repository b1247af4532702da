import { closeSync, openSync, readSync } from "node:fs";

/** Bytes that are read at a time: a multiple of every page size of SQLite. */
export const BLOCK: number = 1 << 20;

/** The content of a file from its beginning; each block is overwritten by the next one, and only the last is shorter. */
export function* blocks(descriptor: number): Generator<Buffer, void> {
  const block = Buffer.allocUnsafeSlow(BLOCK);
  for (let position = 0; ;) {
    const filled = readAt(descriptor, block, position);
    if (filled === 0) return;
    yield block.subarray(0, filled);
    position += filled;
  }
}

/** Fills `buffer` with what stands at `position`; returns how many bytes there were. */
export function readAt(descriptor: number, buffer: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < buffer.length) {
    const read = readSync(descriptor, buffer, filled, buffer.length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return filled;
}

/** Opens a file, and closes it whatever happens. */
export function withFile<Result>(path: string, use: (descriptor: number) => Result, flags = "r"): Result {
  const descriptor = openSync(path, flags);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
