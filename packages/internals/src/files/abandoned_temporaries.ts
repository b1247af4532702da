import { readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { isAbandoned, TEMPORARY_SUFFIX } from "./temporary_names.ts";

/** What SQLite keeps beside a database that is a temporary file. */
const BESIDE_DATABASE = /-(?:journal|wal|shm)$/;

/**
 * Removes temporary files that a process which is gone left in `directory` when it was killed while writing. Cleaning is
 * a courtesy: in a directory that cannot be listed, or beside files of other users, the save that follows still works.
 */
export function removeAbandonedTemporaries(directory: string): void {
  courteously(() => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      const name = entry.name.replace(BESIDE_DATABASE, "");
      if (!entry.isFile() || !name.endsWith(TEMPORARY_SUFFIX)) continue;
      courteously(() => {
        if (isAbandoned(path, name)) unlinkSync(path);
      });
    }
  });
}

/** Lets permission decide; anything else is a fault. */
function courteously(task: () => void): void {
  try {
    task();
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
