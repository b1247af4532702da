import { columnsOf } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { schemaEntries } from "../sql/catalog.ts";
import { withStoredColumn } from "../sql/column_definition.ts";
import { sqlNames } from "../sql/sql_text.ts";
import { rebuildTable, withName } from "./rebuild_table.ts";

/**
 * Statements for the operator after which generated columns of a table are ordinary ones with the same values. Other
 * columns stay unchanged.
 */
export function storeColumns(database: Database, table: string, columns: readonly string[]): string {
  const entry = schemaEntries(database).find(
    ({ type, name }) => type === "table" && name.toLowerCase() === table.toLowerCase(),
  );
  const sql = columns.reduce((text, column) => withStoredColumn(text, column), entry?.sql ?? "");
  const names = sqlNames([...columnsOf(database, table).map(({ name }) => name), ...columns]);
  return rebuildTable(database, entry?.name ?? table, {
    create: (name) => withName(sql, name),
    columns: names,
    values: names,
  });
}
