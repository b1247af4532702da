import { readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { isAbandoned, TEMPORARY_SUFFIX } from "./temporary_names.ts";

/** Suffixes of the files that SQLite creates next to a database, here next to a temporary one. */
const BESIDE_DATABASE = /-(?:journal|wal|shm)$/;

/**
 * Removes temporary files in `directory` that belong to ended processes, which were killed while writing. The cleanup
 * is optional: the save that follows also works in a directory that cannot be listed, or next to files of other users.
 */
export function removeAbandonedTemporaries(directory: string): void {
  ignoringErrors(() => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      const name = entry.name.replace(BESIDE_DATABASE, "");
      if (!entry.isFile() || !name.endsWith(TEMPORARY_SUFFIX)) continue;
      ignoringErrors(() => {
        if (isAbandoned(path, name)) unlinkSync(path);
      });
    }
  });
}

/**
 * Runs a task on files of other processes; ignores missing permission, a read-only file system, a missing entry and, on Windows, an open file, and
 * throws all other errors.
 */
export function ignoringErrors(task: () => void): void {
  try {
    task();
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EACCES", "EPERM", "EROFS", "ENOENT", "EBUSY"].includes(code)) throw error;
  }
}
