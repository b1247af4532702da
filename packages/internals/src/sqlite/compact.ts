import { statSync } from "node:fs";
import { isBusy, type Waits, waitWhileBusy } from "./busy.ts";
import type { Database } from "./open_database.ts";

/** Number of pages that one step gives back to the disk. */
const PAGES_AT_ONCE = 1000;

/**
 * Gives unused pages back to the disk, in steps between which other writers may continue. Does nothing for a database
 * that was not made for this (`auto_vacuum = INCREMENTAL`): there, space is used again, or given back by a rewrite.
 */
export function* giveBackUnusedPages(database: Database, waits: Waits): Generator<void, void> {
  // 2: INCREMENTAL.
  if (database.pragma("auto_vacuum", { simple: true }) !== 2) return;
  const unused = (): number => database.pragma("freelist_count", { simple: true }) as number;
  for (let before = unused(); before > 0;) {
    waitWhileBusy(waits.timeoutMs, () => database.pragma(`incremental_vacuum(${PAGES_AT_ONCE})`));
    const after = unused();
    if (after >= before) return;
    before = after;
    yield;
  }
}

/**
 * Moves the log into the database and empties it, so that it has no copy of a changed page any more.
 *
 * @throws An SQLite "busy" error if a reader needs the log for longer than the time-out.
 */
export function emptyLog(database: Database, waits: Waits): void {
  if (database.pragma("journal_mode", { simple: true }) !== "wal") return;
  waitWhileBusy(waits.timeoutMs, () => {
    const [{ busy }] = database.pragma("wal_checkpoint(TRUNCATE)") as [{ busy: number }];
    if (busy !== 0) throw Object.assign(new Error("a reader needs the log"), { code: "SQLITE_BUSY" });
  });
}

/** Sizes of a database before and after it was rewritten, in bytes. */
export interface Compacted {
  /** Size of the file before, in bytes. */
  bytes_before: number;
  /** Size of the file afterwards, in bytes. */
  bytes_after: number;
}

/** Rewrites a database without its unused pages. Other writers wait meanwhile, and the disk needs twice its size. */
export function rewrite(database: Database, path: string, waits: Waits): Compacted {
  const size = (): number => (path === ":memory:" ? 0 : statSync(path).size);
  emptyLog(database, waits);
  const before = size();
  waitWhileBusy(waits.timeoutMs, () => database.exec("VACUUM"));
  try {
    emptyLog(database, waits);
  } catch (error) {
    // The space is given back when the readers have ended.
    if (!isBusy(error)) throw error;
  }
  return { bytes_before: before, bytes_after: size() };
}

/** Size in bytes up to which `erase` may rewrite a whole database: this takes about a second. */
export const REWRITTEN_UP_TO: number = 256 * 1024 * 1024;
