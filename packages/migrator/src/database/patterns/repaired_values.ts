import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
import { hasOwn, REPAIRED_VALUES, REPAIRED_VALUES_TABLE } from "../record/side_tables.ts";
import { sameValue } from "../sql/sql_text.ts";

/**
 * SQL over the alias `v` of the record and that of the pattern: true for a repaired value that has not changed since.
 */
export function isStillRepaired(column: string, pattern = "p"): string {
  return `v.pattern_id = ${pattern}.id AND v.column_name = ${sqlText(column)} AND ${sameValue("v.repaired", `${pattern}.${sqlName(column)}`)}`;
}

/**
 * The columns with values that a migration repaired. The id is the last: the record identifies a pattern by it.
 *
 * @param number The first migration that counts.
 */
export function repairedColumns(database: Database, schema: "main" | "backup" = "main", number = 0): string[] {
  if (!hasOwn(database, REPAIRED_VALUES, schema)) return [];
  return database
    .prepare(
      `SELECT DISTINCT column_name FROM ${schema}.${REPAIRED_VALUES_TABLE} WHERE number >= ? ORDER BY column_name = 'id'`,
    )
    .pluck()
    .all(number) as string[];
}

/**
 * SQL for the value that a column of a pattern had before its repair, of several the first: a later one found a repaired
 * value.
 *
 * @param row Alias of the pattern in version 16.
 * @param value SQL for the value of a pattern that was not repaired, or has changed since.
 */
export function valueBeforeRepair(
  { schema, number = 0 }: { schema: "main" | "backup"; number?: number },
  column: string,
  row: string,
  value: string,
): string {
  const repairs = `FROM ${schema}.${REPAIRED_VALUES_TABLE} AS v WHERE v.number >= ${number} AND ${isStillRepaired(column, row)}`;
  return `CASE WHEN EXISTS (SELECT 1 ${repairs}) THEN (SELECT v.original ${repairs} ORDER BY v.number LIMIT 1) ELSE ${value} END`;
}
