import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";
import { nextNumber } from "./migration_record.ts";
import { assertOwnName, isOwnTable, UNITED_ROWS, UNITED_ROWS_TABLE } from "./side_tables.ts";

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

const OWN = {
  name: UNITED_ROWS_TABLE,
  columns: "number,source_table,first_source_id,last_source_id,rows,id_offset",
  purpose: "a record of the rows that are united",
};

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

/** True when united rows are recorded in a database, and by perdura-migrate. */
export function holdsUnited(database: Database): boolean {
  return isOwnTable(database, OWN);
}

/** What the migration of that number united; null where it did not, or where there is no such record. */
export function unitedIn(database: Database, number: number): UnitedRange | null {
  if (!holdsUnited(database)) return null;
  const row = database
    .prepare(
      `SELECT source_table AS "table", rows, first_source_id AS first, last_source_id AS last, id_offset AS idOffset FROM main.${UNITED_ROWS_TABLE} WHERE number = ?`,
    )
    .get(number);
  return (row as UnitedRange | undefined) ?? null;
}

/** The tables of which migrations put rows into `interactions`; with `since`, only that of the backup and later ones. */
export function unitedTables(database: Database, since = 0): string[] {
  if (!holdsUnited(database)) return [];
  return database
    .prepare(`SELECT DISTINCT source_table FROM main.${UNITED_ROWS_TABLE} WHERE number >= ?`)
    .pluck()
    .all(since) as string[];
}

/** @throws Stop when the name belongs to something that perdura-migrate did not make. */
export function assertUnitedRowsIsOurs(database: Database): void {
  assertOwnName(database, OWN);
}

/** What a migration united, by numbers that are numbers: whoever can write to the file can write text there. */
export function unitedBy(database: Database, number: number): UnitedRange | null {
  const range = unitedIn(database, number);
  if (range === null || [range.first, range.last, range.idOffset].every(Number.isSafeInteger)) return range;
  throw new Stop(
    "refused",
    "The record of the rows that were united was changed, so that they cannot be told apart by it.",
  );
}

/** SQL that is true for an id of `interactions` whose row came from the second table. */
export function isUnited(range: UnitedRange | null, id: string): string {
  return range === null ? "false" : `${id} BETWEEN ${range.first + range.idOffset} AND ${range.last + range.idOffset}`;
}

/** SQL for the id that such a row had in the second table. */
export function formerId(range: UnitedRange | null, id: string): string {
  return range === null || range.idOffset === 0 ? id : `${id} - (${range.idOffset})`;
}
