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
import { applyAccess, withoutGroup } from "@perdura/internals/files/access.js";
import { EarlySync } from "@perdura/internals/files/early_sync.js";
import { isOpenInProcess } from "@perdura/internals/sqlite/open_files.js";
import { blocks, readAt, withFile } from "./blocks.ts";
import type { OnBytes } from "./requests.ts";

/** Bytes between two progress reports. */
const REPORTED = 64 << 20;

/**
 * Copies a file to a new name, with its owner, group and mode, and syncs the copy. While it is written, it is not
 * readable for users who cannot read the original. Shares blocks if the file system supports it.
 *
 * @param onBytes Called at intervals with the number of copied bytes and the total.
 */
export function copyFile(from: string, to: string, onBytes: OnBytes): void {
  if (shareBlocks(from, to)) finishShared(from, to);
  else withFile(from, (source) => copyBlocks(source, to, onBytes));
}

/** Syncs the content of a file, so that it survives a power cut. */
export function syncFile(path: string): void {
  // Windows can sync only files that are open for writing; on other systems the mode of a copy may forbid to open it
  // so.
  withFile(path, (descriptor) => fsyncSync(descriptor), process.platform === "win32" ? "r+" : "r");
}

/** Does not follow a link that has replaced the copy. */
function finishShared(from: string, to: string): void {
  const descriptor = openSync(
    to,
    (process.platform === "win32" ? constants.O_RDWR : constants.O_RDONLY) | (constants.O_NOFOLLOW ?? 0),
  );
  try {
    applyAccess(descriptor, statSync(from));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Errors of file systems that cannot share blocks, or not between these two places. */
const CANNOT = new Set(["ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EXDEV", "EINVAL", "ENOTTY"]);

function shareBlocks(from: string, to: string): boolean {
  // It would close a descriptor of the original: see `withFile`.
  if (isOpenInProcess(from)) return false;
  // Node.js sets the mode of the copy immediately, while the copy still has this user's group.
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
    applyAccess(target, found);
    // Through this descriptor: one that is opened now would not report an error of an early sync.
    fsyncSync(target);
  } finally {
    early.end();
    closeSync(target);
  }
}

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
  const end = performance.now() + timeoutMs;
  let attempts = 0;
  do {
    const before = stamps(paths);
    const log = logHeader(path);
    // Copies the database before its log: frames that a checkpoint moves meanwhile are then also in the copied log.
    for (const file of paths) copyIfThere(file, join(directory, basename(file)));
    if (stamps(paths) === before || (log !== null && logHeader(path) === log && !isThere(`${path}-journal`)))
      return true;
    attempts += 1;
  } while (attempts < LEAST_ATTEMPTS || performance.now() < end);
  return false;
}

/** Minimum number of attempts, even without time to wait: a writer may have been active only once. */
const LEAST_ATTEMPTS = 3;

/** A log or journal may disappear at any time; then the copy from an earlier attempt must also be removed. */
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

/** Magic number, page size, and the salt, which changes with every restart of the log. */
const LOG_HEADER_BYTES = 32;

/** Header of the log; null without a log that has frames. */
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
