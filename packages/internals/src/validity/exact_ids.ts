import { hasTable } from "../sqlite/catalog.ts";
import type { Database } from "../sqlite/open_database.ts";

/** The highest id that JavaScript represents exactly, 2^53-1 (ruling U-exact-ids). */
export const HIGHEST_ID: bigint = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * SQL that is true if the next id of a table would be above {@link HIGHEST_ID}. It takes the highest row, or for a
 * table with AUTOINCREMENT its counter, whichever is higher; SQLite reads both for every new row anyway.
 *
 * @param table Name of a metrics table in `main`, which needs no quotes.
 */
export function usedUpIds(database: Database, table: string): string {
  const row = `EXISTS (SELECT 1 FROM main.${table} WHERE id >= ${HIGHEST_ID})`;
  if (!hasTable(database, "sqlite_sequence")) return row;
  const counter = `SELECT 1 FROM main.sqlite_sequence WHERE name = '${table}' COLLATE NOCASE AND seq >= ${HIGHEST_ID}`;
  return `${row} OR EXISTS (${counter})`;
}

/** The highest id of a table or of its counter if {@link usedUpIds} is true, exact; otherwise undefined. */
export function usedUpAt(database: Database, table: string): bigint | undefined {
  const ask = (sql: string): unknown => database.prepare(sql).pluck().safeIntegers().get();
  if (ask(`SELECT ${usedUpIds(database, table)}`) !== 1n) return undefined;
  const counter = hasTable(database, "sqlite_sequence")
    ? ` UNION ALL SELECT seq FROM main.sqlite_sequence WHERE name = '${table}' COLLATE NOCASE`
    : "";
  return ask(`SELECT max(id) FROM (SELECT max(id) AS id FROM main.${table}${counter})`) as bigint;
}
