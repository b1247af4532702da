import { columnsOf, hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { type Affinity, affinityOf } from "@perdura/internals/validity/column_types.js";
import { sameValue } from "../sql/sql_text.ts";
import { hasOwn, REPAIRED_VALUES, REPAIRED_VALUES_TABLE } from "../record/side_tables.ts";

const IS_FORMER = "v.column_name = 'id'";

/**
 * SQL for the new id of the pattern that a row of usage belongs to; NULL if its pattern keeps the id. Of several
 * patterns with one id, the first has the usage.
 *
 * @param number The first migration that counts.
 * @param id SQL for the id in usage.
 */
export function newIdOfUsage(number: number, id: string): string {
  const assigned = `FROM main.${REPAIRED_VALUES_TABLE} AS v WHERE v.number >= ${number} AND ${IS_FORMER}`;
  // A number and its text are different ids, so no column may convert one to the other.
  return `CASE WHEN +${id} IN (SELECT v.original ${assigned}) AND +${id} NOT IN (SELECT +id FROM main.patterns WHERE id IS NOT NULL) THEN (SELECT v.repaired ${assigned} AND ${sameValue("v.original", id)} ORDER BY v.rowid LIMIT 1) END`;
}

/**
 * SQL for the id that the pattern of a row of usage had before it got a new one; NULL if it has the same. Usage that
 * was added since belongs to the same pattern. In a column of text, usage refers to the text of a number before and
 * after.
 *
 * @param id SQL for the id in usage.
 */
export function formerIdOfUsage(database: Database, schema: "main" | "backup", id: string): string {
  const kinds = affinityOfUsage(database, schema) === "BLOB" ? "" : " AND typeof(v.original) IN ('text', 'blob')";
  return `(SELECT v.original FROM ${schema}.${REPAIRED_VALUES_TABLE} AS v WHERE v.pattern_id = ${id} AND ${IS_FORMER}${kinds} AND EXISTS (SELECT 1 FROM ${schema}.patterns AS p WHERE p.id = v.pattern_id) ORDER BY v.number LIMIT 1)`;
}

/** The affinity of the ids in usage; undefined without usage. */
export function affinityOfUsage(database: Database, schema: "main" | "backup" = "main"): Affinity | undefined {
  const columns = columnsOf(database, "pattern_usage", schema);
  const found = columns.find(({ name }) => name.toLowerCase() === "pattern_id");
  return found && affinityOf(found.type);
}

/** True if usage can belong to patterns that got new ids. */
export function canMoveUsage(database: Database): boolean {
  return hasOwn(database, REPAIRED_VALUES) && ["patterns", "pattern_usage"].every((table) => hasTable(database, table));
}

/** Gives the usage of patterns their new ids. */
export function moveUsage(database: Database, number: number): void {
  if (canMoveUsage(database)) setIds(database, newIdOfUsage(number, "pattern_usage.pattern_id"));
}

/** Gives the usage of patterns their former ids. */
export function restoreUsage(database: Database): void {
  if (canMoveUsage(database)) setIds(database, formerIdOfUsage(database, "main", "pattern_usage.pattern_id"));
}

function setIds(database: Database, id: string): void {
  database.exec(`UPDATE main.pattern_usage SET pattern_id = ${id} WHERE ${id} IS NOT NULL`);
}
