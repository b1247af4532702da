import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { type KeptColumn, keptColumns, type MetricsTable } from "../layouts/metrics_table.ts";
import { originalValue } from "./converted_values.ts";

/** The migration that changed a table, and where the values are that its rows had. */
export interface ChangedTable {
  /** The table as the migration found it. */
  table: MetricsTable;
  /** Number of the migration. */
  number: number;
  /** The database with the record of converted values. */
  schema: "main" | "backup";
  /** SQL for the id of a row in the old table. */
  id: string;
}

/**
 * SQL for the value that a column had before the migration, or would have had.
 *
 * @param value SQL for the value of version 16.
 */
export function valueBefore(
  database: Database,
  { table, number, schema, id }: ChangedTable,
  { type }: KeptColumn,
  value: string,
): string {
  return type === undefined ? value : originalValue(database, { table: table.name, type, number }, schema, id, value);
}

/**
 * SQL for all values of a row of the old table, in the order of its columns.
 *
 * @param row Alias of the row of version 16.
 * @param nameOf The name that a column has there.
 * @param metadata SQL for the metadata of the row.
 */
export function rowBefore(
  database: Database,
  changed: ChangedTable,
  { row, nameOf, metadata }: { row: string; nameOf: (column: KeptColumn) => string; metadata: string },
): [column: string, value: string][] {
  const { columns } = changed.table;
  const kept = new Map(keptColumns(changed.table).map((column) => [column.name, column]));
  return columns.map((name) => {
    const column = kept.get(name);
    if (column === undefined) return [name, metadata];
    if (name.toLowerCase() === "id") return [name, changed.id];
    return [name, valueBefore(database, changed, column, `${row}.${sqlName(nameOf(column))}`)];
  });
}
