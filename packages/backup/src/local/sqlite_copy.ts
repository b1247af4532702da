import { closeSync, fsyncSync, openSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { CorruptDataError, StorageError } from "@perdura/internals/errors/errors.js";
import { isOutOfSpace } from "@perdura/internals/files/out_of_space.js";
import { markUncertain, storageErrorOf } from "@perdura/internals/files/storage_errors.js";
import { temporaryDirectoryError } from "@perdura/internals/files/temporary_directories.js";
import { syncDone } from "@perdura/internals/files/sync_directory.js";
import { assertColumns } from "@perdura/internals/sqlite/catalog.js";
import { copyContent } from "@perdura/internals/sqlite/copy_content.js";
import { faultsOf } from "@perdura/internals/sqlite/faults.js";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";

/**
 * Copies a consistent snapshot of a database, also while other programs write to it.
 *
 * @param to An empty file, or a database whose content is replaced in one transaction.
 * @param concerned The path that errors are about; the other one is a temporary file.
 */
export async function copyDatabase(from: string, to: string, concerned: string, busyTimeoutMs: number): Promise<void> {
  const database = openDatabase(from, { intent: "read", busyTimeoutMs });
  try {
    await copyContent(database, to, { busyTimeoutMs, shownAs: concerned });
  } catch (error) {
    if (concerned === to) throw storageErrorOf(markUncertain(error), concerned, "copying");
    throw isOutOfSpace(error)
      ? temporaryDirectoryError(dirname(to), error)
      : storageErrorOf(error, concerned, "copying");
  } finally {
    database.close();
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

/** A table that a restore removes, because the backup does not have it. */
export interface RemovedTable {
  name: string;
  /** Number of rows; null if SQLite cannot read them, for example those of an extension that is not loaded. */
  rows: number | null;
}

/** Tables of a database that another one does not have, without those of SQLite. */
export function tablesMissingIn(other: string, path: string, busyTimeoutMs: number): RemovedTable[] {
  const present = new Set(withDatabase(other, other, "read", namesOf, busyTimeoutMs));
  return withDatabase(
    path,
    path,
    "read",
    (database) =>
      namesOf(database)
        .filter((name) => !present.has(name))
        .map((name) => ({ name, rows: rowsIn(database, name) })),
    busyTimeoutMs,
  );
}

function namesOf(database: Database): string[] {
  return database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    .pluck()
    .all() as string[];
}

function rowsIn(database: Database, table: string): number | null {
  try {
    return database
      .prepare(`SELECT count(*) FROM ${sqlName(table)}`)
      .pluck()
      .get() as number;
  } catch {
    return null;
  }
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
