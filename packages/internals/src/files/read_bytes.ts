import { fstatSync, readFileSync, readSync } from "node:fs";
import type { ReadBytes } from "../json/byte_window.ts";
import { readAt, withFile } from "./guarded_file.ts";

/**
 * Opens a file while `work` runs, so that it can be read in pieces and more than once. The content of a pipe, which can
 * be read only once, is kept in memory.
 */
export function withFileBytes<Result>(filepath: string, work: (read: ReadBytes) => Result): Result {
  return withFile(filepath, (descriptor) => {
    if (fstatSync(descriptor).isFile())
      return work((place, position) => readSync(descriptor, place, 0, place.length, position));
    const bytes = readFileSync(descriptor);
    return work((place, position) => bytes.copy(place, 0, position));
  });
}

/** Reads a whole file. */
export function readWhole(path: string | Buffer): Buffer {
  return withFile(path, (descriptor) => {
    const { size } = fstatSync(descriptor);
    // The size of a pipe, and of a file of the system, is 0.
    if (size === 0) return readFileSync(descriptor);
    const bytes = Buffer.allocUnsafe(size);
    return bytes.subarray(0, readAt(descriptor, bytes, 0));
  });
}

/** Reads up to `length` bytes at the beginning of a regular file. */
export function readHead(path: string, length: number): Buffer {
  return withFile(path, (descriptor) => {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readAt(descriptor, bytes, 0));
  });
}
