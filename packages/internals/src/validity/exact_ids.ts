import { hasTable } from "../sqlite/catalog.ts";
import type { Database } from "../sqlite/open_database.ts";
import { describe } from "../text/describe.ts";
import { sqlName, sqlText } from "../text/quoted_sql.ts";

/** The highest id that JavaScript represents exactly, 2^53-1 (ruling U-exact-ids). */
export const HIGHEST_ID: bigint = BigInt(Number.MAX_SAFE_INTEGER);

/** The table in which SQLite keeps the counters of tables with AUTOINCREMENT. */
export const COUNTERS = "sqlite_sequence";

export const hasCounters = (database: Database): boolean => hasTable(database, COUNTERS);

/**
 * SQL that is true if the next id of a table would be above {@link HIGHEST_ID}. It takes the highest row, or for a
 * table with AUTOINCREMENT its counter, whichever is higher; SQLite reads both for every new row anyway.
 *
 * @param table Name of a metrics table in `main`.
 * @param isCounted What {@link hasCounters} returns.
 */
export function usedUpIds(table: string, isCounted: boolean): string {
  const row = `EXISTS (SELECT 1 FROM main.${sqlName(table)} WHERE id >= ${HIGHEST_ID})`;
  if (!isCounted) return row;
  const counter = `SELECT 1 FROM main.sqlite_sequence WHERE name = ${sqlText(table)} COLLATE NOCASE AND seq >= ${HIGHEST_ID}`;
  return `${row} OR EXISTS (${counter})`;
}

/** The reason why a table gets no further ids, and the way out of it. */
export interface UsedUpIds {
  /** Without a full stop. */
  reason: string;
  wayOut: string;
}

/** The reason why {@link usedUpIds} is true, with exact ids; undefined if it is false. */
export function usedUpAt(database: Database, table: string): UsedUpIds | undefined {
  const ask = (sql: string): unknown => database.prepare(sql).pluck().safeIntegers().get();
  const isCounted = hasCounters(database);
  if (ask(`SELECT ${usedUpIds(table, isCounted)}`) !== 1n) return undefined;
  const counter = isCounted
    ? ` UNION ALL SELECT seq FROM main.sqlite_sequence WHERE name = ${sqlText(table)} COLLATE NOCASE`
    : "";
  const highest = ask(`SELECT max(id) FROM (SELECT max(id) AS id FROM main.${sqlName(table)}${counter})`);
  if (typeof highest === "bigint") return usedUpBy(table, highest);
  // Row ids are integers. In a comparison, a text and a BLOB are above every number.
  const value = highest instanceof Uint8Array ? "a BLOB" : describe(highest);
  return {
    reason: `the counter of the table ${table} in sqlite_sequence is ${value}, which is not an integer`,
    wayOut: `Correct the counter: UPDATE sqlite_sequence SET seq = (SELECT coalesce(max(id), 0) FROM ${sqlName(table)}) WHERE name = ${sqlText(table)} COLLATE NOCASE;`,
  };
}

/** The reason why a row of this id is the last one that a table gets. */
export function usedUpBy(table: string, highest: bigint): UsedUpIds {
  return {
    reason: `the next id of the table ${table} would be above ${HIGHEST_ID}, the highest integer that JavaScript represents exactly: the highest id is ${highest}`,
    wayOut: "Record to another database, or give those rows lower ids.",
  };
}
