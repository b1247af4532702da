import { closeSync, fsyncSync, openSync, realpathSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { BusyError, CorruptDataError, StorageError } from "@perdura/internals/errors/errors.js";
import { markUncertain, storageErrorOf } from "@perdura/internals/errors/storage_errors.js";
import { syncDone } from "@perdura/internals/files/sync_directory.js";
import { assertColumns } from "@perdura/internals/sqlite/catalog.js";
import { faultsOf } from "@perdura/internals/sqlite/faults.js";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";

/** Pages that are copied at a time; between them the event loop can run. */
const PAGES = 1000;

/**
 * Copies a consistent snapshot of a database through SQLite's backup API, also while other programs write to it. With a
 * write-ahead log they are not blocked; with a rollback journal their commits wait until the copy is done.
 *
 * @param to An empty file, or a database whose content is replaced in one transaction.
 * @param concerned The path that errors are about; the other one is a temporary file.
 */
export async function copyDatabase(from: string, to: string, concerned: string, busyTimeoutMs: number): Promise<void> {
  // The driver would open the target without any check.
  openDatabase(to, { intent: "change", busyTimeoutMs, shownAs: concerned }).close();
  const database = openDatabase(from, { intent: "read", busyTimeoutMs });
  try {
    // Holds the snapshot: without it the copy would restart with each commit of another connection.
    database.exec("BEGIN");
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    await copyOnceFree(database, to, busyTimeoutMs);
  } catch (error) {
    throw storageErrorOf(concerned === to ? markUncertain(error) : error, concerned, "copying");
  } finally {
    database.close();
  }
}

/** Pause before the next try, in milliseconds. */
const PAUSE = 20;

/** Repeats a copy: if another connection holds the target, the driver copies nothing and reports success. */
async function copyOnceFree(database: Database, to: string, busyTimeoutMs: number): Promise<void> {
  const end = performance.now() + busyTimeoutMs;
  for (;;) {
    const { totalPages } = await copied(database, to, busyTimeoutMs);
    if (totalPages > 0) return;
    if (performance.now() > end)
      throw new BusyError("another process held the database for longer than the busy time-out. It was not changed.", {
        path: to,
      });
    await pause(PAUSE);
  }
}

async function copied(database: Database, to: string, busyTimeoutMs: number): Promise<{ totalPages: number }> {
  const copy = (): Promise<{ totalPages: number }> => database.backup(to, { progress: () => PAGES });
  try {
    return await copy();
  } catch (error) {
    if ((error as { code?: unknown }).code !== "SQLITE_READONLY") throw error;
    // With a write-ahead log the page size cannot change. The next collector that opens the database turns the log on
    // again.
    withDatabase(to, to, "change", (target) => void target.pragma("journal_mode = DELETE"), busyTimeoutMs);
    return copy();
  }
}

/** Columns that a table of patterns must have. */
const PATTERN_COLUMNS = ["id", "agent_id", "pattern_type", "name"];

/**
 * @param shownAs The name of the database in errors.
 * @throws CorruptDataError when it is damaged, or has no pattern library.
 */
export function checkDatabase(path: string, shownAs: string): void {
  withDatabase(path, shownAs, "read", (database) => {
    const [problem] = faultsOf(database, 1);
    if (problem !== undefined) throw new CorruptDataError(`the database is damaged: ${problem}.`, { path: shownAs });
    assertColumns(database, "patterns", PATTERN_COLUMNS, shownAs);
  });
}

/** Names of the tables of a database, without those of SQLite. */
export function tablesOf(path: string, shownAs: string, busyTimeoutMs: number): string[] {
  return withDatabase(
    path,
    shownAs,
    "read",
    (database) =>
      database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
        .pluck()
        .all() as string[],
    busyTimeoutMs,
  );
}

function withDatabase<Result>(
  path: string,
  shownAs: string,
  intent: "read" | "change",
  task: (database: Database) => Result,
  busyTimeoutMs?: number,
): Result {
  const database = openDatabase(path, { intent, shownAs, busyTimeoutMs });
  try {
    return task(database);
  } catch (error) {
    throw storageErrorOf(error, shownAs, "reading");
  } finally {
    database.close();
  }
}

const DONE = "the library was restored";

/**
 * Syncs the commit of SQLite's backup to the disk. Its connection syncs neither a log that other programs have open,
 * nor the directory from which it removed a journal, so a power cut could undo the commit.
 *
 * @throws StorageError naming the database, although its content was replaced.
 */
export function syncCopied(to: string): void {
  let file: string;
  try {
    // Log and journal are next to the file itself, not next to a link to it.
    file = realpathSync(to);
    syncIfThere(`${file}-wal`);
  } catch (error) {
    throw new StorageError(
      `${DONE}, but its log could not be synced (${(error as Error).message}): a power cut may undo it.`,
      { path: to, cause: error, mayBeWritten: true },
    );
  }
  syncDone(file, DONE);
}

/** Syncs a log, if it exists: the last connection that is closed merges it, synced, and removes it. */
function syncIfThere(path: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r+");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
