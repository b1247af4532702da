import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../stop.ts";
import { nextNumber } from "./migration_record.ts";
import { UNITED_ROWS, UNITED_ROWS_TABLE } from "./side_tables.ts";

/** Rows of a second metrics table that went into `interactions` in one migration. */
export interface UnitedRange {
  /** The second table. */
  table: string;
  rows: number;
  /** Ids that the rows had in the second table. */
  first: number;
  last: number;
  /** The id in `interactions` is the old one plus this. */
  idOffset: number;
}

const COLUMNS = "number,source_table,first_source_id,last_source_id,rows,id_offset";

/** Records the rows of the second table that are about to move; before the migration itself is recorded. None: nothing. */
export function recordUnited(database: Database, table: string, from: string, idOffset: number): void {
  const number = nextNumber(database);
  database.exec(UNITED_ROWS);
  database
    .prepare(
      `INSERT INTO main.${UNITED_ROWS_TABLE} SELECT ?, ?, min(id), max(id), count(*), ? FROM ${from} HAVING count(*) > 0`,
    )
    .run(number, table, BigInt(idOffset));
}

/** What the migration of that number united; null where it did not, or where there is no such record. */
export function unitedIn(database: Database, number: number): UnitedRange | null {
  if (columnsOfRecord(database) !== COLUMNS) return null;
  const row = database
    .prepare(
      `SELECT source_table AS "table", rows, first_source_id AS first, last_source_id AS last, id_offset AS idOffset FROM main.${UNITED_ROWS_TABLE} WHERE number = ?`,
    )
    .get(number);
  return (row as UnitedRange | undefined) ?? null;
}

/** @throws Stop when the name belongs to something that perdura-migrate did not make. */
export function assertUnitedRowsIsOurs(database: Database): void {
  const taken = database
    .prepare("SELECT name FROM main.sqlite_schema WHERE name = ? COLLATE NOCASE")
    .pluck()
    .get(UNITED_ROWS_TABLE);
  if (taken !== undefined && columnsOfRecord(database) !== COLUMNS)
    throw new Stop(
      "refused",
      `The name ${UNITED_ROWS_TABLE} is needed for a record of the rows that are united, but ${String(taken)} is not a table that perdura-migrate made. Rename it first.`,
    );
}

function columnsOfRecord(database: Database): unknown {
  return database
    .prepare(`SELECT group_concat(name) FROM pragma_table_xinfo('${UNITED_ROWS_TABLE}', 'main')`)
    .pluck()
    .get();
}
