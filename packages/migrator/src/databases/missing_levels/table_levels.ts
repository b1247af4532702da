import type { LevelTable } from "../../recognise/level_tables.ts";
import { COMMON_COLUMNS } from "../../recognise/layout.ts";
import { allOf, sqlName } from "../sql_text.ts";

type Schema = "main" | "backup";

/** SQL that is true where the rows `t` and `e` agree in all that a metrics table has, as far as the other table has it. */
export function isSameRow(table: LevelTable): string {
  const has = new Set(table.columns.map((column) => column.toLowerCase()));
  return allOf(
    COMMON_COLUMNS.filter((column) => has.has(column)).map((column) => `t.${column} IS e.${column} COLLATE BINARY`),
  );
}

/**
 * SQL for the ids of rows without a level, and the level that another table has for each: for the row with the same id
 * and the same values. Where that table has several such rows, they have to agree.
 *
 * @param rows Name of the table without levels.
 */
export function levelsInTable(table: LevelTable, rows: string, schema: Schema = "main"): string {
  const level = `t.${sqlName(table.level)}`;
  return `SELECT e.id AS id, min(${level}) AS level FROM ${schema}.${sqlName(table.name)} AS t JOIN ${schema}.${sqlName(rows)} AS e ON e.id = t.id
    WHERE ${isSameRow(table)} AND typeof(${level}) = 'integer' AND ${level} BETWEEN 1 AND 5 GROUP BY e.id HAVING min(${level}) = max(${level})`;
}
