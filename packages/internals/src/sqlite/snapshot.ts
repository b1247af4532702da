import { closeSync, fstatSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { withStorage } from "../files/storage_errors.ts";
import { readAt, withFile } from "../files/guarded_file.ts";
import { unlessMissing } from "../files/missing.ts";
import { WAL_HEADER } from "./logs.ts";
import { monotonicMs } from "../runtime/monotonic.ts";

/**
 * Copies a database and its side files into a directory, so that the copies are consistent. If a writer is active,
 * repeats this until the time-out.
 *
 * A write-ahead log may grow meanwhile: unless it was restarted, it contains every page that a checkpoint moved into
 * the database, and these pages take precedence. So it is sufficient that the header of the log did not change since
 * before the database was copied.
 *
 * @returns False if the files kept changing.
 */
export function snapshotFiles(path: string, directory: string, timeoutMs: number): boolean {
  const paths = [path, `${path}-journal`, `${path}-wal`];
  const end = monotonicMs() + timeoutMs;
  let attempts = 0;
  do {
    const before = stamps(paths);
    const log = logHeader(path);
    // Copies the database before its log: frames that a checkpoint moves meanwhile are then also in the copied log.
    for (const file of paths) copyIfThere(file, join(directory, basename(file)));
    if (stamps(paths) === before || (log !== null && logHeader(path) === log && !isThere(`${path}-journal`)))
      return true;
    attempts += 1;
  } while (attempts < LEAST_ATTEMPTS || monotonicMs() < end);
  return false;
}

/** Minimum number of attempts, even without time to wait: a writer may have been active only once. */
const LEAST_ATTEMPTS = 3;

/** A log or journal may disappear at any time; then the copy from an earlier attempt must also be removed. */
function copyIfThere(from: string, to: string): void {
  rmSync(to, { force: true });
  unlessMissing(() => withFile(from, (source) => copyTo(to, source)));
}

function writeAll(target: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(target, bytes, done);
}

/** The place is in the error: it is not that of the database. */
const WRITING = "writing a copy of the database there";

/** Bytes that are copied at a time. */
const BLOCK = 1 << 20;

function copyTo(to: string, source: number): void {
  const block = Buffer.allocUnsafe(Math.min(BLOCK, fstatSync(source).size + 1));
  const place = dirname(to);
  const target = withStorage(place, WRITING, () => openSync(to, "wx", 0o600));
  try {
    for (let position = 0; ;) {
      const length = readAt(source, block, position);
      withStorage(place, WRITING, () => writeAll(target, block.subarray(0, length)));
      if (length < block.length) return;
      position += length;
    }
  } finally {
    closeSync(target);
  }
}

function stamps(paths: string[]): string {
  return paths
    .map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
    .map((found) => `${found?.size} ${found?.mtimeNs}`)
    .join();
}

/** Magic number, page size and salt of the log, which changes with every restart; null without a log that has frames. */
function logHeader(path: string): string | null {
  const header = Buffer.alloc(WAL_HEADER);
  const filled = unlessMissing(() => withFile(`${path}-wal`, (descriptor) => readAt(descriptor, header, 0)));
  return filled === header.length ? header.toString("hex") : null;
}

const isThere = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
