import { statfsSync } from "node:fs";
import { dirname } from "node:path";

/** Bytes that SQLite needs for the shared memory of its processes, and some more. */
const LITTLE = 64 * 1024;

/** Errors of SQLite that say nothing of a full disk, also where it is full. */
const SILENT = /^SQLITE_(?:IOERR|CANTOPEN)/;

/**
 * Text to append to an error that does not name a shortage on the disk of a path: if a side file of a database finds no room,
 * SQLite only reports `disk I/O error` or `unable to open database file`.
 *
 * @param code Of the error.
 * @returns A text in brackets, or nothing where there is room.
 */
export function shortageAfter(code: unknown, path: string): string {
  if (typeof code !== "string" || !SILENT.test(code)) return "";
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(path));
    if (bavail * bsize < LITTLE) return ` (no space left on the disk: ${Math.floor((bavail * bsize) / 1024)} kB free)`;
    // File systems without a fixed number of files report 0 files.
    return files > 0 && ffree < 2 ? ` (no space left on the disk for more files: ${ffree} free)` : "";
  } catch {
    // The original error matters more than this one.
    return "";
  }
}
