import { statfsSync } from "node:fs";
import { dirname } from "node:path";

/** Bytes that SQLite needs for the memory that processes share (`-shm`), plus a margin. */
const MIN_FREE_BYTES = 64 * 1024;

/** Error codes of SQLite that may hide a full disk. */
const CODES_WITHOUT_REASON = /^SQLITE_(?:IOERR|CANTOPEN)/;

/**
 * Text to append to an error that may hide a full disk. If the disk has no space for a side file of a database, SQLite
 * only reports `disk I/O error` or `unable to open database file`.
 *
 * @param code Code of the error.
 * @returns A text in brackets, or an empty text if the disk has space.
 */
export function shortageAfter(code: unknown, path: string): string {
  if (typeof code !== "string" || !CODES_WITHOUT_REASON.test(code)) return "";
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(path));
    if (bavail * bsize < MIN_FREE_BYTES)
      return ` (no space left on the disk: ${Math.floor((bavail * bsize) / 1024)} kB free)`;
    // File systems without a fixed number of files report 0 files.
    return files > 0 && ffree < 2 ? ` (no space left on the disk for more files: ${ffree} free)` : "";
  } catch {
    // The original error matters more than this one.
    return "";
  }
}
