import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import type { ReadBytes } from "../json/byte_window.ts";

/**
 * Opens a file for as long as `work` takes, to be read in pieces and more than once. What is no regular file (a pipe)
 * gives its bytes only once, so that they are kept.
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

/** Reads a whole file. `readFileSync` by a name leaves it open where the operating system does not say how long it is. */
export function readWhole(path: string | Buffer): Buffer {
  const descriptor = openSync(path, "r");
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
