import { statSync } from "node:fs";
import { StorageError } from "../errors/errors.ts";
import { withStorage } from "../files/storage_errors.ts";
import { isOtherThanLog } from "./logs.ts";

type SideFile = readonly [suffix: string, kind: string];

/** Suffixes of files that SQLite keeps next to a database, and their kinds. */
const SIDE_FILES: readonly SideFile[] = [
  ["-journal", "journal"],
  ["-wal", "log"],
];

/** These files, and the one through which processes share memory. */
export const ALL_SIDE_FILES: readonly SideFile[] = [...SIDE_FILES, ["-shm", "shared memory"]];

/**
 * SQLite opens files with the names of the journal and the log, to check whether a killed writer left them, and removes
 * or overwrites a file that is neither.
 *
 * @throws StorageError that names the file.
 */
export function assertSideFiles(place: string, shownAs: string, files: readonly SideFile[] = SIDE_FILES): void {
  for (const [suffix, what] of files) {
    const beside = `${place}${suffix}`;
    const found = withStorage(shownAs, "opening", () => statSync(beside, { throwIfNoEntry: false }));
    if (found?.isFile() === false)
      throw new StorageError(
        `opening failed: ${beside} is not a regular file, but SQLite needs that name for its ${what}. Remove it first.`,
        { path: shownAs },
      );
    if (found !== undefined && withStorage(shownAs, "opening", () => isOtherThanLog(beside)))
      throw new StorageError(
        `opening failed: ${beside} is not a ${what} of SQLite, which would remove or overwrite it. Nothing was changed. Move it to another directory, then try again.`,
        { path: shownAs },
      );
  }
}
