import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";
import { nextNumber } from "./migration_record.ts";
import { hasOwn, MERGED_ROWS, MERGED_ROWS_TABLE } from "./side_tables.ts";

/** Rows of a second metrics table that one migration merged into `interactions`. */
export interface MergedRange {
  /** The second table. */
  table: string;
  rows: number;
  /** Range of ids that the rows had in the second table. */
  first: number;
  last: number;
  /** Difference between the id in `interactions` and the old one. */
  idOffset: number;
}

/**
 * Records the rows of the second table before they move, and before the migration itself is recorded. Without rows it
 * records nothing.
 */
export function recordMerged(database: Database, table: string, from: string, idOffset: number): void {
  const number = nextNumber(database);
  database.exec(MERGED_ROWS.create);
  database
    .prepare(
      `INSERT INTO main.${MERGED_ROWS_TABLE} SELECT ?, ?, min(id), max(id), count(*), ? FROM ${from} HAVING count(*) > 0`,
    )
    .run(number, table, BigInt(idOffset));
}

/** The rows that the migration of that number merged; null without any, or without such a record. */
export function mergedRange(database: Database, number: number): MergedRange | null {
  if (!hasOwn(database, MERGED_ROWS)) return null;
  const row = database
    .prepare(
      `SELECT source_table AS "table", rows, first_source_id AS first, last_source_id AS last, id_offset AS idOffset FROM main.${MERGED_ROWS_TABLE} WHERE number = ?`,
    )
    .get(number);
  return (row as MergedRange | undefined) ?? null;
}

/**
 * The rows that a migration merged; checks that the numbers are numbers, because the record may have been manipulated
 * through the file.
 */
export function checkedMergedRange(database: Database, number: number): MergedRange | null {
  const range = mergedRange(database, number);
  if (range === null || [range.first, range.last, range.idOffset].every(Number.isSafeInteger)) return range;
  throw new Stop(
    "refused",
    `The table ${MERGED_ROWS_TABLE}, which records merged rows, was changed, so the merged rows cannot be identified. Restore this table from a copy of the database that was made after the migration, or restore the backup from before the migration.`,
  );
}

/** SQL that is true for an id of `interactions` whose row was in the second table. */
export function isMerged(range: MergedRange | null, id: string): string {
  return range === null ? "false" : `${id} BETWEEN ${range.first + range.idOffset} AND ${range.last + range.idOffset}`;
}

/** SQL for the former id of such a row in the second table. */
export function formerId(range: MergedRange | null, id: string): string {
  return range === null || range.idOffset === 0 ? id : `${id} - (${range.idOffset})`;
}
