import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { KEPT_LEVELS_TABLE } from "../../record/side_tables.ts";
import { sqlName } from "../sql_text.ts";

/** Levels that a migration kept when it was undone, for rows that are there now. */
export interface KeptLevels {
  table: string;
  /** How many rows get each level. */
  rows: { level: number; rows: number; users: number }[];
  /** Kept levels that no row gets: the row is gone, or the level is outside 1 to 5. */
  rest: number;
}

/** SQL over the alias `k` that is true for a kept level that version 16 can hold. */
export const USABLE_KEPT = "typeof(k.level) = 'integer' AND k.level BETWEEN 1 AND 5";

/** True when there is such a table; one of that name with other columns is somebody else's. */
export function holdsKept(database: Database, schema: "main" | "backup" = "main"): boolean {
  if (!hasTable(database, KEPT_LEVELS_TABLE, schema)) return false;
  const columns = database
    .prepare(`SELECT group_concat(name || ' ' || type || ' ' || pk) FROM pragma_table_xinfo('${KEPT_LEVELS_TABLE}', ?)`)
    .pluck()
    .get(schema);
  return columns === "id INTEGER 1,level  0";
}

/**
 * What is kept for the rows of a table; null where nothing is.
 *
 * @param where SQL over the alias `e`: the rows that stay in the table.
 */
export function keptLevels(database: Database, table: string, where: string): KeptLevels | null {
  if (!holdsKept(database)) return null;
  const rows = database
    .prepare(
      `SELECT k.level, count(*) AS rows, count(DISTINCT e.user_id COLLATE BINARY) AS users FROM main.${KEPT_LEVELS_TABLE} AS k JOIN main.${sqlName(table)} AS e ON e.id = k.id WHERE ${USABLE_KEPT} AND ${where} GROUP BY k.level ORDER BY k.level`,
    )
    .all() as KeptLevels["rows"];
  const all = database.prepare(`SELECT count(*) FROM main.${KEPT_LEVELS_TABLE}`).pluck().get() as number;
  return { table: KEPT_LEVELS_TABLE, rows, rest: all - rows.reduce((sum, one) => sum + one.rows, 0) };
}

/** Takes away the kept levels that rows got; the table with the last of them. */
export function dropUsedKept(database: Database, { table }: KeptLevels, rowsTable: string): void {
  database.exec(
    `DELETE FROM main.${table} AS k WHERE ${USABLE_KEPT} AND k.id IN (SELECT id FROM main.${sqlName(rowsTable)})`,
  );
  if (database.prepare(`SELECT 1 FROM main.${table}`).get() === undefined) database.exec(`DROP TABLE main.${table}`);
}
