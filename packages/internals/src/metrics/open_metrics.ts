import { CorruptDataError, UnsupportedFormatError } from "../errors/errors.ts";
import { storageErrorOf } from "../files/storage_errors.ts";
import { assertDatabasePath, assertWritablePlace } from "../files/places.ts";
import { waitWhileBusy } from "../sqlite/busy.ts";
import {
  assertPresent,
  columnNames,
  columnsOf,
  isOrdinaryTable,
  kindAmong,
  type SchemaObject,
  schemaObjects,
} from "../sqlite/catalog.ts";
import { type Database, DEFAULT_BUSY_TIMEOUT_MS, openDatabase } from "../sqlite/open_database.ts";
import { DEFAULT_DURABILITY, type Durability } from "../sqlite/durability.ts";
import { withParents } from "../sqlite/missing_parents.ts";
import { readTransaction } from "../sqlite/read_transaction.ts";
import { useWriteAheadLog } from "../sqlite/write_ahead_log.ts";
import { assertTypes } from "../validity/column_types.ts";
import type { Clock } from "../text/timestamps.ts";
import { COUNTERS } from "../validity/exact_ids.ts";
import { areDeclared, type DeclaredKeys, declareKeys, NO_KEYS } from "./keys/declared_keys.ts";
import { CONDITION_NAMES } from "./rollup/condition.ts";
import { declareRollupReady, isRollupReady } from "./rollup/handover.ts";
import { isBroken, removeRollup } from "./rollup/install.ts";
import { RowWriter } from "./row_writer.ts";
import {
  INTERACTION_INDEXES,
  INTERACTION_METADATA_TABLE,
  interactionsTable,
  isMetadataTrigger,
  type LevelColumn,
  METADATA_TRIGGERS,
  metricsSchema,
} from "./schema.ts";

export interface OpenMetricsOptions {
  durability?: Durability | undefined;
  busyTimeoutMs?: number | undefined;
  /** Keys to declare. */
  keys?: DeclaredKeys | undefined;
  /** Source of timestamps of recorded rows; the system's clock by default. */
  clock?: Clock | undefined;
}

export interface OpenedMetrics {
  database: Database;
  /** Undefined if the database had to be changed before it accepts rows. */
  rows: RowWriter | undefined;
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
 * database were opened, the user's rows would seem lost. Also if a column has a declared type that would change recorded
 * values (ruling U-column-types).
 * @throws CorruptDataError if the file is not an SQLite database, or `interactions` lacks columns.
 */
export function openMetrics(dbPath: string, levelColumn: LevelColumn, options: OpenMetricsOptions): Database {
  return openForRecording(dbPath, levelColumn, options).database;
}

/** As {@link openMetrics}, with the inserts that were compiled to check the tables. */
export function openForRecording(dbPath: string, levelColumn: LevelColumn, options: OpenMetricsOptions): OpenedMetrics {
  if (dbPath !== ":memory:") {
    assertDatabasePath("dbPath", dbPath);
    assertWritablePlace("dbPath", dbPath);
  }
  const timeout = options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS;
  const database = openDatabase(dbPath, { intent: "record", ...options });
  try {
    // One transaction, because another process may be creating the tables.
    const compile = (isCounted: boolean): RowWriter =>
      new RowWriter(database, dbPath, levelColumn, options.clock, isCounted);
    const rows = waitWhileBusy(timeout, () =>
      readTransaction(database, () =>
        writerIfComplete(database, dbPath, checkedObjects(database, levelColumn, dbPath), compile),
      ),
    );
    // The database was checked: only a database of perdura may be changed.
    waitWhileBusy(timeout, () => useWriteAheadLog(database, dbPath));
    if ((options.durability ?? DEFAULT_DURABILITY) === "full") database.exec(`PRAGMA wal_autocheckpoint = ${LONG_LOG}`);
    const { keys = NO_KEYS } = options;
    if (rows === undefined || !areDeclared(database, keys))
      waitWhileBusy(timeout, () => createSchema(database, levelColumn, dbPath, keys));
    return { database, rows };
  } catch (error) {
    database.close();
    throw storageErrorOf(error, dbPath, "opening");
  }
}

/** The objects that {@link createSchema} creates. */
const OBJECTS = [
  "interactions",
  "interaction_metadata",
  ...Object.keys(INTERACTION_INDEXES),
  ...Object.keys(METADATA_TRIGGERS),
];

/**
 * Undefined if an object is missing. Existing tables must accept rows: if invalid triggers or tables prevent SQLite from
 * compiling the inserts, the error is thrown before anything is changed.
 */
function writerIfComplete(
  database: Database,
  dbPath: string,
  found: readonly SchemaObject[],
  compile: (isCounted: boolean) => RowWriter,
): RowWriter | undefined {
  // If part of the rollup is missing, its remaining triggers would prevent inserts; `createSchema` removes them.
  if (isBroken(database, found)) return undefined;
  const has = (name: string): boolean => found.some((object) => object.name === name && object.type !== "view");
  // The triggers of a table of metadata that another program dropped prevent inserts until it exists again. This trial is
  // rolled back with the transaction that reads; `createSchema` creates the table.
  if (named(found, "interaction_metadata").length === 0 && found.some(isMetadataTrigger))
    database.exec(INTERACTION_METADATA_TABLE);
  // Checking first avoids waiting for the write lock at each start.
  const isComplete = OBJECTS.every(has);
  if (!isComplete && !tableAmong(found, "interactions")) return undefined;
  return withParents(database, ["interactions", "interaction_metadata"], dbPath, () => {
    const rows = compile(tableAmong(found, COUNTERS));
    if (!isComplete) return undefined;
    rows.compileMetadata();
    return rows;
  });
}

function createSchema(database: Database, levelColumn: LevelColumn, dbPath: string, keys: DeclaredKeys): void {
  database
    .transaction(() => {
      // Another process may have created other tables since the first check.
      checkedObjects(database, levelColumn, dbPath);
      const isReady = isRollupReady(database);
      for (const create of metricsSchema(levelColumn)) database.exec(create);
      if (!areDeclared(database, keys)) declareKeys(database, keys, dbPath);
      // No row was changed: the sums need not be computed again.
      if (isReady) declareRollupReady(database);
      else if (isBroken(database)) removeRollup(database);
    })
    .immediate();
}

const MIGRATE_HINT = "Run `perdura-migrate plan` on it to see what an upgrade would do. No stored data was changed.";

/** Objects of the database that are part of a layout, after a check of the tables. */
function checkedObjects(database: Database, levelColumn: LevelColumn, dbPath: string): SchemaObject[] {
  // One query for all names, because each costs a part of the time of an opening.
  const found = schemaObjects(database, [...OBJECTS, "metrics", COUNTERS, ...CONDITION_NAMES]);
  refuseOtherLayouts(database, found, levelColumn, dbPath);
  // A user may have created a table or view with this name.
  const metadata = named(found, "interaction_metadata");
  if (kindAmong(metadata) !== undefined && !isAsCreated(metadata, INTERACTION_METADATA_TABLE)) {
    const present = tableAmong(found, "interaction_metadata") ? columnNames(database, "interaction_metadata") : [];
    assertPresent(present, "interaction_metadata", ["interaction_id", "metadata"], dbPath);
  }
  return found;
}

function named(found: readonly SchemaObject[], name: string): SchemaObject[] {
  return found.filter((object) => object.name.toLowerCase() === name);
}

function tableAmong(found: readonly SchemaObject[], name: string): boolean {
  return named(found, name).some(isOrdinaryTable);
}

/** True for the table that the statement creates, which needs no look at its columns: SQLite derives them from this text. */
function isAsCreated(found: readonly SchemaObject[], create: string): boolean {
  // SQLite stores the text without these words.
  return found.some(({ sql }) => sql === create.replace("IF NOT EXISTS ", ""));
}

function refuseOtherLayouts(
  database: Database,
  found: readonly SchemaObject[],
  levelColumn: LevelColumn,
  dbPath: string,
): void {
  if (tableAmong(found, "interactions")) {
    if (isAsCreated(named(found, "interactions"), interactionsTable(levelColumn))) return;
    const listed = columnsOf(database, "interactions");
    const columns = listed.map(({ name }) => name.toLowerCase());
    const other: LevelColumn = levelColumn === "level" ? "empathy_level" : "level";
    const expected = ["id", "user_id", levelColumn, "success", "response_time_ms", "timestamp"];
    if (columns.includes(levelColumn) || !columns.includes(other)) {
      assertPresent(columns, "interactions", expected, dbPath);
      return assertTypes(
        "interactions",
        listed,
        named(found, "interactions")[0]?.sql ?? "",
        dbPath,
        // Pre-16 programs with user ids in a column of numbers continue to work as they did; 16 has a way out.
        levelColumn === "level" ? undefined : ["integer", "real"],
      );
    }
    throw new UnsupportedFormatError(
      levelColumn === "level"
        ? `the table "interactions" has the column "empathy_level" of the pre-16 line. ${MIGRATE_HINT}`
        : `the table "interactions" has the column "level" of 16; this library reads the pre-16 line. No stored data was changed.`,
      { path: dbPath },
    );
  }
  const kind = kindAmong(named(found, "interactions"));
  if (kind !== undefined) {
    const what = kind === "view" ? "a view; expected a table" : "a virtual table; expected an ordinary one";
    throw new CorruptDataError(`"interactions" is ${what}. No stored data was changed.`, { path: dbPath });
  }
  if (!tableAmong(found, "metrics")) return;
  const columns = columnNames(database, "metrics");
  if (!columns.includes("user_id") || !columns.includes("success")) return;
  throw new UnsupportedFormatError(
    `the interactions are in a table "metrics", as written by older programs; this library reads "interactions". ${MIGRATE_HINT}`,
    { path: dbPath },
  );
}
