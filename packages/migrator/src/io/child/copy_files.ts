import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  fsyncSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, join } from "node:path";
import { giveAccess, withoutGroup } from "@perdura/internals/files/access.js";
import { EarlySync } from "@perdura/internals/files/early_sync.js";
import { blocks, readAt, withFile } from "./blocks.ts";
import type { OnBytes } from "./requests.ts";

/** How many bytes go by between two reports of progress. */
const REPORTED = 64 << 20;

/**
 * Copies a file to a name that nothing has, with its owner, group and mode, and syncs the copy, which nobody can read on the
 * way who cannot read the file. Blocks are shared where the file system can.
 *
 * @param onBytes Told every now and then how many bytes are copied, and of how many.
 */
export function copyFile(from: string, to: string, onBytes: OnBytes): void {
  if (shareBlocks(from, to)) finishShared(from, to);
  else withFile(from, (source) => copyBlocks(source, to, onBytes));
}

/** Makes the content of a file survive a power cut. */
export function syncFile(path: string): void {
  // Windows syncs only what is open for writing; elsewhere the mode of a copy may forbid that.
  withFile(path, (descriptor) => fsyncSync(descriptor), process.platform === "win32" ? "r+" : "r");
}

/** The copy is not followed to where a link leads that took its place. */
function finishShared(from: string, to: string): void {
  const descriptor = openSync(
    to,
    (process.platform === "win32" ? constants.O_RDWR : constants.O_RDONLY) | (constants.O_NOFOLLOW ?? 0),
  );
  try {
    giveAccess(descriptor, statSync(from));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** What file systems answer that cannot share blocks, or not between these two places. */
const CANNOT = new Set(["ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EXDEV", "EINVAL", "ENOTTY"]);

function shareBlocks(from: string, to: string): boolean {
  // Node.js gives the copy the file's mode at once, while it still belongs to this user's group.
  const { gid, mode } = statSync(from);
  if (gid !== (process.getegid?.() ?? gid) && withoutGroup(mode) !== mode) return false;
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch (error) {
    if (CANNOT.has((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

function copyBlocks(source: number, to: string, onBytes: OnBytes): void {
  const found = fstatSync(source);
  const { size } = found;
  const target = openSync(to, "wx", 0o600);
  const early = new EarlySync(to);
  try {
    let done = 0;
    for (const block of blocks(source)) {
      for (let written = 0; written < block.length;) written += writeSync(target, block, written);
      done += block.length;
      early.wrote(block.length);
      if (done % REPORTED === 0 && done < size) onBytes(done, size);
    }
    giveAccess(target, found);
    // Through this descriptor: one that is opened now is not told of an error that an early sync has met.
    fsyncSync(target);
  } finally {
    early.end();
    closeSync(target);
  }
}

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
