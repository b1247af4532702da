import { statSync } from "node:fs";
import { basename } from "node:path";
import { CorruptDataError } from "../errors/errors.ts";
import { withStorage } from "../files/storage_errors.ts";
import { placeOf } from "../files/place_of.ts";
import { logWithData } from "./logs.ts";

/**
 * Finds a log with data whose database is missing or has zero bytes. SQLite deletes such a log when it opens the path.
 *
 * @returns The path of the log; undefined if no data can be lost.
 */
export function orphanedLog(path: string): string | undefined {
  if (holdsBytes(path)) return undefined;
  const place = placeOf(path);
  const log = place === undefined ? undefined : logWithData(place);
  // SQLite writes the database before the log contains data, so a database exists by now if another process created the
  // log after the first check.
  return log === undefined || holdsBytes(path) ? undefined : log;
}

function holdsBytes(path: string): boolean {
  try {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  } catch (error) {
    // A link to itself: SQLite creates no database there.
    if ((error as NodeJS.ErrnoException).code === "ELOOP") return true;
    throw error;
  }
}

/** @throws CorruptDataError if SQLite would delete a log with data, because its database is missing or empty. */
export function assertNoOrphanedLog(path: string): void {
  const log = withStorage(path, "opening", () => orphanedLog(path));
  if (log === undefined) return;
  const what = statSync(path, { throwIfNoEntry: false }) === undefined ? "is missing" : "is empty (0 bytes)";
  throw new CorruptDataError(
    `the database ${what}, but its log ${basename(log)} contains data, which SQLite would delete. Nothing was changed. Restore the database next to its log, or move the log elsewhere to start a new database.`,
    { path },
  );
}
