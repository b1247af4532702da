import type { MetricsTable } from "../databases/metrics_table.ts";
import { sqlName } from "../databases/sql_text.ts";

/** A column of a table of the old layout, and SQL for its values. */
export type Filled = readonly [column: string, value: string];

/**
 * The columns of a table of the old layout that have a counterpart in `interactions`.
 *
 * @param row Alias of `interactions`.
 * @param metadata SQL for the metadata of the row.
 * @param id SQL for the id that the row has in the old layout.
 */
export function filledColumns(table: MetricsTable, row: string, metadata: string, id: string): Filled[] {
  return table.columns.map((column): Filled => {
    if (column.toLowerCase() === "id") return [column, id];
    if (column === table.metadata) return [column, metadata];
    return [column, `${row}.${nowCalled(table, column)}`];
  });
}

/** What a column is called in `interactions`. */
export function nowCalled({ level }: MetricsTable, column: string): string {
  return column === level ? "level" : sqlName(column);
}
