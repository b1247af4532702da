import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { INTERACTIONS, type KeptColumn, keptColumns, valueIn16 } from "../layouts/metrics_table.ts";
import { type ChangedTable, valueBefore } from "../record/row_before.ts";
import type { Comparison, Schema } from "./comparison.ts";

/** Rows of `interactions`, and the table that they were in before a migration. */
export interface MigratedRows extends Omit<ChangedTable, "schema" | "id"> {
  /** The database with `interactions`, and the one with the old table. */
  in16: "main" | "backup";
  before: Schema;
  /** Difference between new and old ids. */
  idOffset: number;
  /** SQL over the alias `l` that is true for the rows of `interactions`. */
  where: string;
}

/** Compares the rows in the form that they have in version 16. */
export function comparisonIn16({ table, in16, before, idOffset, where }: MigratedRows): Comparison {
  const columns = keptColumns(table);
  return {
    left: { schema: in16, table: INTERACTIONS, columns: columns.map(({ to }) => to) },
    right: {
      schema: before,
      table: table.name,
      columns: columns.map(({ name }) => name),
      compared: (column, value) => valueIn16(columns.find(({ name }) => name === column) as KeptColumn, value),
    },
    keys: [["id", "id"]],
    keyOffset: idOffset,
    where,
  };
}

/**
 * Compares the rows in the form that they had before, as far as that follows from version 16.
 *
 * @param columns The columns to compare.
 */
export function comparisonBefore(
  database: Database,
  rows: MigratedRows,
  columns: readonly KeptColumn[] = keptColumns(rows.table),
): Comparison {
  const { table, in16, before, idOffset, where } = rows;
  const changed: ChangedTable = { ...rows, schema: in16, id: `(l.id - (${idOffset}))` };
  return {
    left: {
      schema: in16,
      table: INTERACTIONS,
      columns: columns.map(({ to }) => to),
      compared: (column, value) =>
        valueBefore(database, changed, columns.find(({ to }) => to === column) as KeptColumn, value),
    },
    right: { schema: before, table: table.name, columns: columns.map(({ name }) => name) },
    keys: [["id", "id"]],
    keyOffset: idOffset,
    where,
  };
}
