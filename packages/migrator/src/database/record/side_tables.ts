import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";

/**
 * Levels that were not in the data, one row per range of rows. `number` is that of the migration; `user_id` is NULL if
 * a range has the rows of all users; `source` is `option`, `table` (with its name in `state_file`), `file` (with path and
 * checksum of the copy), `state` (with those of the state file) or `kept`.
 */
export const ASSUMED_LEVELS_TABLE = "perdura_assumed_levels";
export const ASSUMED_LEVELS: string = `CREATE TABLE IF NOT EXISTS main.${ASSUMED_LEVELS_TABLE} (
    number INTEGER NOT NULL,
    user_id TEXT,
    first_id INTEGER NOT NULL,
    last_id INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    level INTEGER NOT NULL,
    source TEXT NOT NULL,
    state_file TEXT,
    state_sha256 TEXT
)`;

/** Rows of another metrics table that were merged into `interactions`: the new id is the old one plus `id_offset`. */
export const MERGED_ROWS_TABLE = "perdura_merged_rows";
export const MERGED_ROWS: string = `CREATE TABLE IF NOT EXISTS main.${MERGED_ROWS_TABLE} (
    number INTEGER NOT NULL,
    source_table TEXT NOT NULL,
    first_source_id INTEGER NOT NULL,
    last_source_id INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    id_offset INTEGER NOT NULL
)`;

/** In a database that was downgraded to a layout without levels: the levels that were recorded since, by id. */
export const KEPT_LEVELS_TABLE = "perdura_kept_levels";
export const KEPT_LEVELS: string = `CREATE TABLE IF NOT EXISTS main.${KEPT_LEVELS_TABLE} (
    id INTEGER PRIMARY KEY,
    level
)`;

const OWN_ASSUMED = {
  name: ASSUMED_LEVELS_TABLE,
  columns: "number,user_id,first_id,last_id,rows,level,source,state_file,state_sha256",
  purpose: "the record of assumed levels",
};

/** True if levels are recorded there by perdura-migrate. */
export function hasAssumedLevels(database: Database): boolean {
  return isOwnTable(database, OWN_ASSUMED);
}

/** @throws Stop if an object with the name of that table was not made by perdura-migrate. */
export function assertAssumedNameIsOurs(database: Database): void {
  assertOwnName(database, OWN_ASSUMED);
}

/** Asserts the same for the kept levels. */
export function assertKeptNameIsOurs(database: Database): void {
  assertOwnName(database, {
    name: KEPT_LEVELS_TABLE,
    columns: "id,level",
    purpose: "levels, for which the pre-16 layout has no column",
  });
}

/**
 * Values of patterns that were changed so that version 16 reads them, one row per value: the columns `original` and
 * `repaired` have no type, so that each value keeps its storage class. `number` is that of the migration.
 */
export const REPAIRED_VALUES_TABLE = "perdura_repaired_values";
export const REPAIRED_VALUES: string = `CREATE TABLE IF NOT EXISTS main.${REPAIRED_VALUES_TABLE} (
    number INTEGER NOT NULL,
    pattern_id TEXT NOT NULL,
    column_name TEXT NOT NULL,
    original,
    repaired
)`;

/** Finds the values of one pattern. An index, not a key: a table of patterns without a key can have an id twice. */
export const REPAIRED_VALUES_INDEX_NAME: string = `${REPAIRED_VALUES_TABLE}_pattern`;
export const REPAIRED_VALUES_INDEX: string = `CREATE INDEX IF NOT EXISTS main.${REPAIRED_VALUES_INDEX_NAME} ON ${REPAIRED_VALUES_TABLE}(pattern_id, column_name)`;

const OWN_REPAIRED = {
  name: REPAIRED_VALUES_TABLE,
  columns: "number,pattern_id,column_name,original,repaired",
  purpose: "the original values of repaired patterns",
};

/** True if original values are recorded there by perdura-migrate. */
export function hasRepairedValues(database: Database, schema: "main" | "backup" = "main"): boolean {
  return isOwnTable(database, OWN_REPAIRED, schema);
}

/** @throws Stop if an object with the name of that table was not made by perdura-migrate. */
export function assertRepairedNameIsOurs(database: Database): void {
  assertOwnName(database, OWN_REPAIRED);
}

/**
 * Values that were converted because their column got its specified type, if version 16's value alone does not tell the
 * original. One row per value: `row_key` is the id of its row (of a pattern, in version 16), `number` is that of the
 * migration; `original` and `converted` keep their storage classes.
 */
export const CONVERTED_VALUES_TABLE = "perdura_converted_values";
export const CONVERTED_VALUES: string = `CREATE TABLE IF NOT EXISTS main.${CONVERTED_VALUES_TABLE} (
    number INTEGER NOT NULL,
    table_name TEXT NOT NULL,
    column_name TEXT NOT NULL,
    row_key NOT NULL,
    original,
    converted,
    PRIMARY KEY (number, table_name, column_name, row_key)
) WITHOUT ROWID`;

const OWN_CONVERTED = {
  name: CONVERTED_VALUES_TABLE,
  columns: "number,table_name,column_name,row_key,original,converted",
  purpose: "the original values of converted columns",
};

/** True if original values are recorded there by perdura-migrate. */
export function hasConvertedValues(database: Database, schema: "main" | "backup" = "main"): boolean {
  return isOwnTable(database, OWN_CONVERTED, schema);
}

/** @throws Stop if an object with the name of that table was not made by perdura-migrate. */
export function assertConvertedNameIsOurs(database: Database): void {
  assertOwnName(database, OWN_CONVERTED);
}

/** A table of perdura-migrate: its name, its columns joined by commas, and a description of its purpose. */
interface OwnTable {
  name: string;
  columns: string;
  purpose: string;
}

/** True if the table exists with exactly the columns that perdura-migrate gives it. */
export function isOwnTable(
  database: Database,
  { name, columns }: Omit<OwnTable, "purpose">,
  schema: "main" | "backup" = "main",
): boolean {
  return (
    hasTable(database, name, schema) &&
    database
      .prepare(`SELECT group_concat(name) IS ? FROM pragma_table_xinfo(?, ?)`)
      .pluck()
      .get(columns, name, schema) === 1
  );
}

/** @throws Stop if an object with this name was not made by perdura-migrate. */
export function assertOwnName(database: Database, own: OwnTable): void {
  const taken = database
    .prepare("SELECT type, name FROM main.sqlite_schema WHERE name = ? COLLATE NOCASE")
    .get(own.name) as { type: string; name: string } | undefined;
  if (taken === undefined || (taken.type === "table" && isOwnTable(database, own))) return;
  throw new Stop(
    "refused",
    `The name ${own.name} is needed for ${own.purpose}, but perdura-migrate did not create the ${taken.type} ${taken.name} (expected a table with the columns ${own.columns.replaceAll(",", ", ")}). Rename it first.`,
  );
}
