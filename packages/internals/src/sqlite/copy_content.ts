import { setTimeout as pause } from "node:timers/promises";
import type BetterSqlite3 from "better-sqlite3";
import { busyError, withStorage } from "../files/storage_errors.ts";
import { waitWhileBusy } from "./busy.ts";
import { type Database, DEFAULT_BUSY_TIMEOUT_MS, openDatabase } from "./open_database.ts";
import { PlacedFile } from "./placed_file.ts";
import { monotonicMs } from "../runtime/monotonic.ts";

export interface CopyOptions {
  /** The name of the target in errors, if the path is a temporary one. */
  shownAs?: string | undefined;
  /** Longest wait for other connections that hold one of the databases, in milliseconds. */
  busyTimeoutMs?: number | undefined;
  /** Called before each piece of a copy. An error of it ends the copy, and the target keeps its content. */
  onPages?: ((done: number, total: number) => void) | undefined;
}

/** A connection as the driver has it; the type of our connections has no `backup`, so that every copy is made here. */
type DriverConnection = Database & Pick<BetterSqlite3.Database, "backup">;

/** Pages that are copied at a time; between them the event loop can run. */
const PAGES = 1000;

/** Pause before the next attempt, in milliseconds. */
const PAUSE_MS = 20;

/**
 * Copies a consistent snapshot of a database through SQLite's backup API, also while other programs write to it. With a
 * write-ahead log they are not blocked; with a rollback journal their commits wait until the copy is done. Uses the
 * read transaction of the connection, if it is in one.
 *
 * @param to An existing file: an empty one, or a database whose content is replaced in one transaction.
 * @throws StorageError if the target was replaced or moved away meanwhile.
 * @throws BusyError that names the source or the target, if another connection held it for the whole time. Neither was
 * changed.
 */
export async function copyContent(from: Database, to: string, options: CopyOptions = {}): Promise<void> {
  const { busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS, shownAs = to } = options;
  // Holds the snapshot: without it the copy would restart with each commit of another connection, and the driver would
  // report a copy of a locked database that copied nothing.
  const begins = !from.inTransaction;
  if (begins) from.exec("BEGIN");
  try {
    withStorage(from.name, "copying", () => waitWhileBusy(busyTimeoutMs, () => tablesIn(from)));
    await copyOnceFree(from, to, { ...options, busyTimeoutMs, shownAs });
  } finally {
    if (begins) from.exec("ROLLBACK");
  }
}

type Checked = CopyOptions & { shownAs: string; busyTimeoutMs: number };

/** Repeats a copy: if another connection holds the target, the driver copies nothing and reports success. */
async function copyOnceFree(from: Database, to: string, options: Checked): Promise<void> {
  const end = monotonicMs() + options.busyTimeoutMs;
  while (!(await copied(from, to, options))) {
    if (monotonicMs() > end) throw busyError(options.shownAs, "It was not changed.");
    await pause(PAUSE_MS);
  }
}

/** False if another connection holds the target. */
async function copied(from: Database, to: string, options: Checked): Promise<boolean> {
  // The driver would open the target without any check, and would not notice that it is replaced.
  const { busyTimeoutMs, shownAs } = options;
  const file = new PlacedFile(openDatabase(to, { intent: "change", busyTimeoutMs, shownAs }), to);
  const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }): number => {
    options.onPages?.(totalPages - remainingPages, totalPages);
    return PAGES;
  };
  try {
    const { totalPages } = await (from as DriverConnection).backup(to, { progress });
    file.assertAfter();
    // A source without any table has no pages.
    return totalPages > 0 || (from.pragma("page_count", { simple: true }) === 0 && isWithoutTables(to, options));
  } catch (error) {
    if ((error as { code?: unknown }).code !== "SQLITE_READONLY") throw error;
    file.close();
    if (!leaveLogMode(to, options)) throw error;
    return copied(from, to, options);
  } finally {
    file.close();
  }
}

const tablesIn = (database: Database): unknown =>
  database.prepare("SELECT count(*) FROM main.sqlite_schema").pluck().get();

function isWithoutTables(path: string, { shownAs, busyTimeoutMs }: Checked): boolean {
  const database = openDatabase(path, { intent: "read", shownAs, busyTimeoutMs });
  try {
    return tablesIn(database) === 0;
  } finally {
    database.close();
  }
}

/**
 * With a write-ahead log the page size cannot change. The next collector that opens the database turns the log on
 * again.
 *
 * @returns False if the database has no write-ahead log.
 */
function leaveLogMode(to: string, { shownAs, busyTimeoutMs }: Checked): boolean {
  const target = openDatabase(to, { intent: "change", shownAs, busyTimeoutMs });
  try {
    if (target.pragma("journal_mode", { simple: true }) !== "wal") return false;
    target.pragma("journal_mode = DELETE");
    return true;
  } finally {
    target.close();
  }
}
