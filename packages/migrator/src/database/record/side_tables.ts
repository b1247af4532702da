import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";
import { allColumnsOf } from "../sql/catalog.ts";
import { QUARANTINE_TABLE } from "./quarantine.ts";

/** A table in which perdura-migrate records what a downgrade needs. */
export interface OwnTable {
  name: string;
  /** The statement that creates it, with a line for each column. */
  create: string;
  /** Purpose of the table, in words that follow “is needed for”. */
  purpose: string;
}

/** Past migrations, with the state of the database before each. Its columns are fixed: no other is read. */
export const RECORD_TABLE = "perdura_migration";
export const RECORD: OwnTable = {
  name: RECORD_TABLE,
  purpose: "the record of the migration",
  create: `CREATE TABLE IF NOT EXISTS main.${RECORD_TABLE} (
    number INTEGER PRIMARY KEY,
    migrated_at TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    layout TEXT NOT NULL,
    fence TEXT,
    former TEXT NOT NULL,
    result TEXT NOT NULL
)`,
};

/**
 * Levels that were not in the data, one row per range of rows. `number` is that of the migration; `user_id` is NULL if
 * a range has the rows of all users; `source` is `option`, `table` (with its name in `state_file`), `file` (with path and
 * checksum of the copy), `state` (with those of the state file) or `kept`.
 */
export const ASSUMED_LEVELS_TABLE = "perdura_assumed_levels";
export const ASSUMED_LEVELS: OwnTable = {
  name: ASSUMED_LEVELS_TABLE,
  purpose: "the record of assumed levels",
  create: `CREATE TABLE IF NOT EXISTS main.${ASSUMED_LEVELS_TABLE} (
    number INTEGER NOT NULL,
    user_id TEXT,
    first_id INTEGER NOT NULL,
    last_id INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    level INTEGER NOT NULL,
    source TEXT NOT NULL,
    state_file TEXT,
    state_sha256 TEXT
)`,
};

/** Rows of another metrics table that were merged into `interactions`: the new id is the old one plus `id_offset`. */
export const MERGED_ROWS_TABLE = "perdura_merged_rows";
export const MERGED_ROWS: OwnTable = {
  name: MERGED_ROWS_TABLE,
  purpose: "the record of merged rows",
  create: `CREATE TABLE IF NOT EXISTS main.${MERGED_ROWS_TABLE} (
    number INTEGER NOT NULL,
    source_table TEXT NOT NULL,
    first_source_id INTEGER NOT NULL,
    last_source_id INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    id_offset INTEGER NOT NULL
)`,
};

/** In a database that was downgraded to a layout without levels: the levels that were recorded since, by id. */
export const KEPT_LEVELS_TABLE = "perdura_kept_levels";
export const KEPT_LEVELS: OwnTable = {
  name: KEPT_LEVELS_TABLE,
  purpose: "levels, for which the pre-16 layout has no column",
  create: `CREATE TABLE IF NOT EXISTS main.${KEPT_LEVELS_TABLE} (
    id INTEGER PRIMARY KEY,
    level
)`,
};

/**
 * Values of patterns that were changed so that version 16 reads them, one row per value: the columns `original` and
 * `repaired` have no type, so that each value keeps its storage class. `number` is that of the migration.
 */
export const REPAIRED_VALUES_TABLE = "perdura_repaired_values";
export const REPAIRED_VALUES: OwnTable = {
  name: REPAIRED_VALUES_TABLE,
  purpose: "the original values of repaired patterns",
  create: `CREATE TABLE IF NOT EXISTS main.${REPAIRED_VALUES_TABLE} (
    number INTEGER NOT NULL,
    pattern_id TEXT NOT NULL,
    column_name TEXT NOT NULL,
    original,
    repaired
)`,
};

/** Finds the values of one pattern. An index, not a key: a table of patterns without a key can have an id twice. */
export const REPAIRED_VALUES_INDEX_NAME: string = `${REPAIRED_VALUES_TABLE}_pattern`;
export const REPAIRED_VALUES_INDEX: string = `CREATE INDEX IF NOT EXISTS main.${REPAIRED_VALUES_INDEX_NAME} ON ${REPAIRED_VALUES_TABLE}(pattern_id, column_name)`;

/**
 * Values that were converted because their column got its specified type, if version 16's value alone does not tell the
 * original. One row per value: `row_key` is the id of its row (of a pattern, in version 16), `number` is that of the
 * migration; `original` and `converted` keep their storage classes.
 */
export const CONVERTED_VALUES_TABLE = "perdura_converted_values";
export const CONVERTED_VALUES: OwnTable = {
  name: CONVERTED_VALUES_TABLE,
  purpose: "the original values of converted columns",
  create: `CREATE TABLE IF NOT EXISTS main.${CONVERTED_VALUES_TABLE} (
    number INTEGER NOT NULL,
    table_name TEXT NOT NULL,
    column_name TEXT NOT NULL,
    row_key NOT NULL,
    original,
    converted,
    PRIMARY KEY (number, table_name, column_name, row_key)
) WITHOUT ROWID`,
};

/** The records of migrations, which a downgrade reads and removes. */
export const RECORDS: readonly OwnTable[] = [RECORD, ASSUMED_LEVELS, MERGED_ROWS, REPAIRED_VALUES, CONVERTED_VALUES];

/** The tables that `up` adds, and that a downgrade removes. */
export const OWN_TABLES: ReadonlySet<string> = new Set([QUARANTINE_TABLE, ...RECORDS.map(({ name }) => name)]);

/** The columns of such a table. */
export function ownColumns({ create }: OwnTable): string[] {
  return [...create.matchAll(/^ {4}([a-z_\d]+)/gm)].map(([, name = ""]) => name);
}

/** True if the table exists with exactly the columns that perdura-migrate gives it. */
export function hasOwn(database: Database, table: OwnTable, schema: "main" | "backup" = "main"): boolean {
  return (
    hasTable(database, table.name, schema) &&
    allColumnsOf(database, table.name, schema).join() === ownColumns(table).join()
  );
}

/** @throws Stop if an object with this name was not made by perdura-migrate. */
export function assertNameIsOurs(database: Database, table: OwnTable): void {
  const taken = database
    .prepare("SELECT type, name FROM main.sqlite_schema WHERE name = ? COLLATE NOCASE")
    .get(table.name) as { type: string; name: string } | undefined;
  if (taken === undefined || (taken.type === "table" && hasOwn(database, table))) return;
  throw new Stop(
    "refused",
    `The name ${table.name} is needed for ${table.purpose}, but perdura-migrate did not create the ${taken.type} ${taken.name} (expected a table with the columns ${ownColumns(table).join(", ")}). Rename it first.`,
  );
}
