import { accessSync, constants, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname } from "node:path";
import { isPrivateDirectory } from "@perdura/internals/files/private_directory.js";
import { assertTemporaryDirectory } from "@perdura/internals/files/temporary_directories.js";
import { LONGEST_PATH } from "@perdura/internals/sqlite/open_database.js";
import type { DatabaseReport } from "../core/report.ts";
import { Stop } from "../core/stop.ts";

/** @throws Stop if this user cannot create files in a directory for copies. */
export function assertPlace(directory: string): void {
  assertPermitted(directory, constants.W_OK | constants.X_OK, `Cannot write to the directory ${directory}`);
}

/** True if this user can create files in a directory; false, for example, on a read-only file system. */
export function isWritableDirectory(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Directory for the copies of a rehearsal: on the disk of the database, unless it is not writable.
 *
 * @throws StorageError if that for temporary files is not writable either.
 */
export function rehearsalPlace(directory: string, backupDir: string | null): string {
  if (backupDir !== null) return backupDir;
  if (isWritableDirectory(directory)) return directory;
  assertTemporaryDirectory(tmpdir());
  return tmpdir();
}

/** @throws Stop if the path of a copy is longer than SQLite can open. */
export function assertCopyNameable(copy: string): void {
  const bytes = Buffer.byteLength(copy);
  if (process.platform !== "win32" && bytes > LONGEST_PATH)
    throw new Stop(
      "refused",
      `Cannot write the backup: its path, ${copy}, has ${bytes} bytes, and SQLite opens paths of up to ${LONGEST_PATH} bytes. Nothing was changed. Specify a directory with a shorter path with --backup-dir.`,
    );
}

/** @throws Stop if this user cannot write the archive of a state directory. */
export function assertArchivePlace(directory: string): void {
  const place = dirname(directory);
  assertPermitted(place, constants.W_OK | constants.X_OK, `Cannot write the archive to the directory ${place}`);
}

/** @throws Stop if `up` cannot write to the database, to its directory, or to the backup directory. */
export function assertWritable(path: string, backupDir: string | null): void {
  assertPermitted(path, constants.W_OK, `Cannot write to ${path}`);
  assertPermitted(
    dirname(path),
    constants.W_OK | constants.X_OK,
    `Cannot write to the directory ${dirname(path)}, in which SQLite creates the journal`,
  );
  if (backupDir !== null) assertPlace(backupDir);
}

function assertPermitted(path: string, mode: number, sentence: string): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    throw new Stop(
      "refused",
      `${sentence} (${(error as NodeJS.ErrnoException).code}). Allow write access, or run as the owner of the data.`,
      error,
    );
  }
}

/** Describes the missing disk space of a plan, or null. A separate backup directory needs space of its own. */
export function diskShortage(
  disk: NonNullable<DatabaseReport["disk"]>,
  bytes: number,
  backupDir: string | null,
): string | null {
  if (disk.free_bytes < disk.needed_bytes) return shortage(disk.path, disk.needed_bytes, disk.free_bytes);
  const free = backupDir === null ? Number.POSITIVE_INFINITY : freeBytes(backupDir);
  return backupDir !== null && free < bytes ? shortage(backupDir, bytes, free) : null;
}

function shortage(place: string, needed: number, free: number): string {
  const [named, way] = isPrivateDirectory(basename(place))
    ? [dirname(place), "set the environment variable TMPDIR to another directory"]
    : [place, "choose another directory with --backup-dir"];
  return `Too little disk space in ${named}: ${needed} bytes are needed at most, ${free} are free. Free disk space, or ${way}.`;
}

/** Bytes that this user can still write in the file system of `directory`. */
export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
