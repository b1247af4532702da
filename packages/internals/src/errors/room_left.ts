import { statfsSync } from "node:fs";
import { dirname } from "node:path";

/** What SQLite needs at once beside a database, for the memory that its processes share, and some more. */
const LITTLE = 64 * 1024;

/** Errors of SQLite that say nothing of a full disk, also where it is full. */
const SILENT = /^SQLITE_(?:IOERR|CANTOPEN)/;

/**
 * What is short on the disk of a path, to be put behind an error that does not tell: where a file beside a database finds no
 * room, SQLite only says `disk I/O error` or `unable to open database file`.
 *
 * @param code Of the error.
 * @returns A text in brackets, or nothing where there is room.
 */
export function shortageAfter(code: unknown, path: string): string {
  if (typeof code !== "string" || !SILENT.test(code)) return "";
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(path));
    if (bavail * bsize < LITTLE)
      return ` (no space left on its disk: ${Math.floor((bavail * bsize) / 1024)} kB are free)`;
    // File systems that have no fixed number of files say that there are none at all.
    return files > 0 && ffree < 2 ? ` (no space left on its disk for more files: ${ffree} fit)` : "";
  } catch {
    // The error that is to be told is worth more than this one.
    return "";
  }
}
