import { accessSync, constants, statSync } from "node:fs";
import { tmpdir } from "node:os";

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
    accessSync(directory, constants.W_OK | constants.X_OK);
    return statSync(directory).isDirectory();
  } catch {
    return false;
  }
}
