import { accessSync, constants, opendirSync } from "node:fs";
import { tmpdir } from "node:os";
import { StorageError } from "../errors/errors.ts";
import { isOutOfSpace, quotaReason } from "./out_of_space.ts";

/**
 * Directories for temporary files, best first: that of SQLite, which sorts large tables there, then that of Node.js, in
 * which private copies are made. Only directories in which this user can create files.
 */
export function temporaryDirectories(): string[] {
  const { SQLITE_TMPDIR, TMPDIR } = process.env;
  const ofSqlite = [SQLITE_TMPDIR, TMPDIR, "/var/tmp", "/usr/tmp", "/tmp"];
  const first = ofSqlite.find((directory) => directory !== undefined && isWritable(directory));
  return [...new Set([first, tmpdir()])].filter(
    (directory) => directory !== undefined && isWritable(directory),
  ) as string[];
}

function isWritable(directory: string): boolean {
  try {
    assertTemporaryDirectory(directory);
    return true;
  } catch {
    return false;
  }
}

/** @throws StorageError that names the directory and the way to another one, if this user cannot create files in it. */
export function assertTemporaryDirectory(directory: string): void {
  inTemporaryDirectory(directory, () => {
    accessSync(directory, constants.W_OK | constants.X_OK);
    // Fails for a file.
    opendirSync(directory).closeSync();
  });
}

/** Runs a task that creates a file in a directory for temporary files. */
export function inTemporaryDirectory<Result>(directory: string, task: () => Result): Result {
  try {
    return task();
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : temporaryDirectoryError(directory, error);
  }
}

/** The error for a directory for temporary files in which a file cannot be made: names it, and the way to another one. */
export function temporaryDirectoryError(directory: string, error: unknown): StorageError {
  const { code } = error as NodeJS.ErrnoException;
  const reason = quotaReason(error) ?? (isOutOfSpace(error) ? "no space left" : code);
  return new StorageError(
    `the directory for temporary files cannot be used (${reason}). Set the environment variable TMPDIR to another one.`,
    { path: directory, cause: error },
  );
}
