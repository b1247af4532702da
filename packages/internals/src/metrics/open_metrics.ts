import { CorruptDataError, UnsupportedFormatError } from "../errors/errors.ts";
import { storageErrorOf } from "../errors/storage_errors.ts";
import { assertDatabasePath, assertWritablePlace } from "../files/places.ts";
import { waitWhileBusy } from "../sqlite/busy.ts";
import { assertColumns, columnsOf, hasTable, kindOf } from "../sqlite/catalog.ts";
import { type Database, DEFAULT_BUSY_TIMEOUT_MS, openDatabase } from "../sqlite/open_database.ts";
import type { Durability } from "../sqlite/durability.ts";
import { useWriteAheadLog } from "../sqlite/write_ahead_log.ts";
import { isBroken, removeRollup } from "./rollup/install.ts";
import { assertRowsFit, RowWriter } from "./row_writer.ts";
import { type LevelColumn, metricsSchema } from "./schema.ts";

export interface OpenMetricsOptions {
  durability?: Durability | undefined;
  busyTimeoutMs?: number | undefined;
}

/**
 * Pages of the write-ahead log before SQLite moves them to the database (SQLite's default: 1000). Pages that every row
 * changes, such as the ends of the indexes, are then moved once instead of four times. Used with full durability only:
 * with `normal`, a power cut may lose the rows that are only in the log.
 */
const LONG_LOG = 4000;

/**
 * Opens a metrics database of one line and creates missing tables.
 *
 * @throws UnsupportedFormatError if the data belongs to the other line or to a program that used other names. If the
 * database were opened, the user's rows would seem lost.
 * @throws CorruptDataError if the file is not an SQLite database, or `interactions` lacks columns.
 */
export function openMetrics(dbPath: string, levelColumn: LevelColumn, options: OpenMetricsOptions): Database {
  if (dbPath !== ":memory:") {
    assertDatabasePath("dbPath", dbPath);
    assertWritablePlace("dbPath", dbPath);
  }
  const timeout = options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS;
  const database = openDatabase(dbPath, { access: "create", ...options });
  try {
    // One transaction, because another process may be creating the tables.
    const recordable = database.transaction(() => {
      refuseOtherLayouts(database, levelColumn, dbPath);
      if (hasTable(database, "interactions")) assertInteractionColumns(database, levelColumn, dbPath);
      if (kindOf(database, "interaction_metadata") !== undefined) assertMetadataColumns(database, dbPath);
      return isRecordable(database, levelColumn);
    })();
    // The database was checked: only a database of perdura may be changed.
    waitWhileBusy(timeout, () => useWriteAheadLog(database, dbPath));
    if (options.durability !== "normal") database.pragma(`wal_autocheckpoint = ${LONG_LOG}`);
    if (!recordable) waitWhileBusy(timeout, () => createSchema(database, levelColumn, dbPath));
    assertInteractionColumns(database, levelColumn, dbPath);
    return database;
  } catch (error) {
    database.close();
    throw storageErrorOf(error, dbPath, "opening");
  }
}

function assertInteractionColumns(database: Database, levelColumn: LevelColumn, dbPath: string): void {
  assertColumns(
    database,
    "interactions",
    ["id", "user_id", levelColumn, "success", "response_time_ms", "timestamp"],
    dbPath,
  );
}

/** Requires both columns, because a user may have created a table or view with this name. */
function assertMetadataColumns(database: Database, dbPath: string): void {
  assertColumns(database, "interaction_metadata", ["interaction_id", "metadata"], dbPath);
}

/**
 * False if an object is missing. Existing tables must accept rows: if invalid triggers or tables prevent SQLite from
 * compiling the insert, the error is thrown before anything is changed.
 */
function isRecordable(database: Database, levelColumn: LevelColumn): boolean {
  // If part of the rollup is missing, its remaining triggers would prevent inserts; `createSchema` removes them.
  if (isBroken(database)) return false;
  const isThere = isComplete(database);
  if (isThere) void new RowWriter(database, levelColumn, undefined);
  else if (hasTable(database, "interactions")) assertRowsFit(database, levelColumn);
  return isThere;
}

/** True if all objects exist. Checking first avoids waiting for the write lock at each start. */
function isComplete(database: Database): boolean {
  const names = ["interactions", "interaction_metadata", "idx_interactions_user", "idx_interactions_timestamp"];
  const present = database
    .prepare(
      `SELECT count(*) FROM main.sqlite_schema WHERE type IN ('table', 'index') AND name IN (${names.map(() => "?").join(", ")})`,
    )
    .pluck()
    .get(names);
  return present === names.length;
}

function createSchema(database: Database, levelColumn: LevelColumn, dbPath: string): void {
  database
    .transaction(() => {
      // Another process may have created other tables since the first check.
      refuseOtherLayouts(database, levelColumn, dbPath);
      for (const create of metricsSchema(levelColumn)) database.exec(create);
      if (isBroken(database)) removeRollup(database);
    })
    .immediate();
}

const MIGRATE_HINT = "Run `perdura-migrate plan` on it to see what an upgrade would do. The database was not changed.";

function refuseOtherLayouts(database: Database, levelColumn: LevelColumn, dbPath: string): void {
  if (hasTable(database, "interactions")) {
    const columns = new Set(columnsOf(database, "interactions").map((column) => column.name.toLowerCase()));
    const other: LevelColumn = levelColumn === "level" ? "empathy_level" : "level";
    if (columns.has(levelColumn) || !columns.has(other)) return;
    throw new UnsupportedFormatError(
      levelColumn === "level"
        ? `the table "interactions" has the column "empathy_level" of the pre-16 line. ${MIGRATE_HINT}`
        : `the table "interactions" has the column "level" of 16; this library reads the pre-16 line. The database was not changed.`,
      { path: dbPath },
    );
  }
  const kind = kindOf(database, "interactions");
  if (kind !== undefined) {
    const what = kind === "view" ? "a view; expected a table" : "a virtual table; expected an ordinary one";
    throw new CorruptDataError(`"interactions" is ${what}. The database was not changed.`, { path: dbPath });
  }
  if (!hasTable(database, "metrics")) return;
  const columns = new Set(columnsOf(database, "metrics").map((column) => column.name.toLowerCase()));
  if (!columns.has("user_id") || !columns.has("success")) return;
  throw new UnsupportedFormatError(
    `the interactions are in a table "metrics", as written by older programs; this library reads "interactions". ${MIGRATE_HINT}`,
    { path: dbPath },
  );
}
