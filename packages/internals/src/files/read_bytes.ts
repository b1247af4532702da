import { constants, fstatSync, readFileSync, readSync, statSync } from "node:fs";
import { StorageError } from "../errors/errors.ts";
import type { ReadBytes } from "../json/byte_window.ts";
import { sleep } from "../runtime/sleep.ts";
import { readAt, withFile } from "./guarded_file.ts";
import { irregularKind } from "./irregular_kind.ts";
import { monotonicMs } from "../runtime/monotonic.ts";

/**
 * Opens a file while `work` runs, so that it can be read in pieces and more than once. The content of a pipe, which can
 * be read only once, is kept in memory. A pipe is empty if no writer begins within a second.
 */
export function withFileBytes<Result>(filepath: string, work: (read: ReadBytes) => Result): Result {
  return withFile(
    filepath,
    (descriptor) => {
      if (fstatSync(descriptor).isFile())
        return work((place, position) => readSync(descriptor, place, 0, place.length, position));
      const bytes = readPipe(descriptor);
      return work((place, position) => bytes.copy(place, 0, position));
    },
    isPipe(filepath) ? constants.O_RDONLY | constants.O_NONBLOCK : "r",
  );
}

/** Opening a pipe would wait for a writer, without end if there is none. */
const isPipe = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;

/** Pause before the next read of a pipe without new content, and the longest wait for its writer, in milliseconds. */
const [PAUSE_MS, PATIENCE_MS] = [5, 1000];

function readPipe(descriptor: number): Buffer {
  const pieces: Buffer[] = [];
  const end = monotonicMs() + PATIENCE_MS;
  for (;;) {
    const piece = Buffer.alloc(1 << 16);
    try {
      const length = readSync(descriptor, piece);
      if (length > 0) pieces.push(piece.subarray(0, length));
      // Without a writer a pipe seems to be at its end.
      else if (pieces.length > 0 || monotonicMs() > end) return Buffer.concat(pieces);
      else sleep(PAUSE_MS);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      sleep(PAUSE_MS);
    }
  }
}

/**
 * Reads a whole regular file.
 *
 * @throws StorageError for a pipe, which would have to be waited for, a device, which may be endless, or a directory.
 */
export function readWhole(path: string | Buffer): Buffer {
  const found = statSync(path, { throwIfNoEntry: false });
  const kind = found && irregularKind(found);
  if (kind !== undefined) throw new StorageError(`expected a file, found ${kind}.`, { path: String(path) });
  return withFile(path, (descriptor) => {
    const { size } = fstatSync(descriptor);
    // The size of a file of the system is 0.
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
