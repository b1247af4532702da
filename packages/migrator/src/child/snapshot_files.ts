import { copyFileSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { readAt, withFile } from "./blocks.ts";

/**
 * Copies a database and what lies beside it into a directory, so that the copies belong together. While others write, it
 * is tried again until the time is over.
 *
 * A write-ahead log may grow meanwhile: as long as it was not begun anew, it has every page that a checkpoint moved into
 * the database, and those count. So a log is enough whose beginning stayed what it was before the database was copied.
 *
 * @returns False when they never held still.
 */
export function snapshotFiles(path: string, directory: string, timeoutMs: number): boolean {
  const paths = [path, `${path}-journal`, `${path}-wal`];
  const end = performance.now() + timeoutMs;
  let attempts = 0;
  do {
    const before = stamps(paths);
    const log = logHeader(path);
    // The database before its log: frames that a checkpoint moves meanwhile are then in the copied log as well.
    for (const file of paths) copyIfThere(file, join(directory, basename(file)));
    if (stamps(paths) === before || (log !== null && logHeader(path) === log && !isThere(`${path}-journal`)))
      return true;
    attempts += 1;
  } while (attempts < LEAST_ATTEMPTS || performance.now() < end);
  return false;
}

/** Also where there is no time to wait, as a writer may have been at work just once. */
const LEAST_ATTEMPTS = 3;

/** A log or journal may vanish at any moment; a copy of it that an earlier attempt made must then vanish as well. */
function copyIfThere(from: string, to: string): void {
  rmSync(to, { force: true });
  try {
    copyFileSync(from, to);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

function stamps(paths: string[]): string {
  return paths
    .map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
    .map((found) => `${found?.size} ${found?.mtimeNs}`)
    .join();
}

/** Magic number, page size, and the salt that is another one for every new beginning. */
const LOG_HEADER_BYTES = 32;

/** Null where there is no log with frames. */
function logHeader(path: string): string | null {
  const header = Buffer.alloc(LOG_HEADER_BYTES);
  try {
    const filled = withFile(`${path}-wal`, (descriptor) => readAt(descriptor, header, 0));
    return filled === header.length ? header.toString("hex") : null;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

const isThere = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";
