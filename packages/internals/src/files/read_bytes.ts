import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import type { ReadBytes } from "../json/byte_window.ts";

/**
 * Opens a file while `work` runs, so that it can be read in pieces and more than once. The content of a pipe, which can
 * be read only once, is kept in memory.
 */
export function withFileBytes<Result>(filepath: string, work: (read: ReadBytes) => Result): Result {
  const descriptor = openSync(filepath, "r");
  try {
    if (fstatSync(descriptor).isFile()) {
      return work((place, position) => readSync(descriptor, place, 0, place.length, position));
    }
    const bytes = readFileSync(descriptor);
    return work((place, position) => bytes.copy(place, 0, position));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads a whole file. With a path, `readFileSync` does not close the file if the operating system cannot report its
 * size.
 */
export function readWhole(path: string | Buffer): Buffer {
  const descriptor = openSync(path, "r");
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
