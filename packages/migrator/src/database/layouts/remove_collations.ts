import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import { unreadableIndexes } from "@perdura/internals/sqlite/collations.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { columnsOfTable, schemaEntries } from "../sql/catalog.ts";
import { sqlNames, withKnownCollations } from "../sql/sql_text.ts";
import { rebuildTable, withName } from "./rebuild_table.ts";
import { knownTables } from "./table_layouts.ts";

/**
 * Statements for the operator that take the collations which only an application defines out of the tables of the
 * migration: their indexes are dropped, and a table that has one in its definition is rebuilt.
 *
 * @returns Undefined if no such table and none of its indexes has one.
 */
export function removeCollations(database: Database): string | undefined {
  const entries = schemaEntries(database).filter(
    ({ table, sql }) =>
      knownTables().includes(table.toLowerCase()) && sql !== null && withKnownCollations(sql) !== undefined,
  );
  const tables = entries.filter(({ type, name }) => type === "table" && hasTable(database, name));
  const rebuilt = new Set(tables.map(({ name }) => name.toLowerCase()));
  // A rebuilt table does not get such an index again.
  const indexes = entries.filter(({ type, table }) => type === "index" && !rebuilt.has(table.toLowerCase()));
  const statements = [
    ...indexes.map(({ name }) => `DROP INDEX ${sqlName(name)};`),
    ...tables.map(({ name, sql }) => withoutCollations(database, name, sql ?? "")),
  ];
  if (statements.length === 0) return undefined;
  const unreadable = tables.filter(({ name }) => unreadableIndexes(database, name).some(({ isTable }) => isTable));
  const where =
    unreadable.length === 0
      ? "in the sqlite3 shell"
      : `in the application, because only it can read the rows of ${unreadable.map(({ name }) => name).join(", ")}`;
  return `Remove the collation first, ${where}: ${statements.join(" ")}`;
}

function withoutCollations(database: Database, table: string, sql: string): string {
  const names = sqlNames(columnsOfTable(database, table));
  return rebuildTable(database, table, {
    create: (name) => withName(withKnownCollations(sql) ?? sql, name),
    columns: names,
    values: names,
  });
}
