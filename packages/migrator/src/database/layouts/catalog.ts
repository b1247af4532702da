import { type Column, columnsOf, tableNames } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";

/** One entry of `sqlite_schema`. */
export interface SchemaEntry {
  type: "table" | "index" | "view" | "trigger";
  name: string;
  /** The table that it belongs to. */
  table: string;
  /** null for indexes that SQLite made by itself. */
  sql: string | null;
}

/** Everything that recognition looks at: names of tables, columns and indexes, never the text of a statement. */
export interface Catalog {
  /** In the order in which they were made. */
  entries: SchemaEntry[];
  /** Columns of ordinary tables by lower-case name: SQLite's names ignore ASCII case. */
  columns: Map<string, Column[]>;
  /** Of the same tables, the lower-case names of columns that are computed from others. */
  computed: Map<string, string[]>;
}

/** Every entry of `sqlite_schema`, in the order in which they were made. */
export function schemaEntries(database: Database, schema: "main" | "backup" = "main"): SchemaEntry[] {
  return database
    .prepare(`SELECT type, name, tbl_name AS "table", sql FROM ${schema}.sqlite_schema ORDER BY rowid`)
    .all() as SchemaEntry[];
}

/** Reads the schema. Only tables whose names are asked for have their columns read. */
export function readCatalog(database: Database, tables: readonly string[]): Catalog {
  const entries = schemaEntries(database);
  const present = new Set(tableNames(database).ordinary.map((name) => name.toLowerCase()));
  const found = tables.filter((name) => present.has(name));
  return {
    entries,
    columns: new Map(found.map((name) => [name, columnsOf(database, name)])),
    computed: new Map(found.map((name) => [name, computedColumns(database, name)])),
  };
}

function computedColumns(database: Database, table: string): string[] {
  return database
    .prepare("SELECT lower(name) FROM pragma_table_xinfo(?, 'main') WHERE hidden IN (2, 3)")
    .pluck()
    .all(table) as string[];
}

/** True when the table is there, has a row id under the name `id`, and has all of these columns and none of `without`. */
export function tableHolds(
  catalog: Catalog,
  table: string,
  columns: readonly string[],
  without: readonly string[] = [],
): boolean {
  const present = catalog.columns.get(table) ?? [];
  const keyed = present.some(
    ({ name, type, pk }) => name.toLowerCase() === "id" && type.toUpperCase() === "INTEGER" && pk === 1,
  );
  return (
    keyed && hasColumns(catalog, table, columns) && !without.some((column) => hasColumns(catalog, table, [column]))
  );
}

/** True when the table is there and has all of these columns, whatever else it has. */
export function hasColumns(catalog: Catalog, table: string, columns: readonly string[]): boolean {
  const names = new Set(catalog.columns.get(table)?.map(({ name }) => name.toLowerCase()));
  return hasTable(catalog, table) && columns.every((column) => names.has(column));
}

/** Looks an entry up by name, whatever its case. */
export function entryNamed(catalog: Catalog, name: string, type?: SchemaEntry["type"]): SchemaEntry | undefined {
  return catalog.entries.find(
    (entry) => entry.name.toLowerCase() === name.toLowerCase() && (type === undefined || entry.type === type),
  );
}

/** True when the ordinary table is there. */
export function hasTable(catalog: Catalog, name: string): boolean {
  return catalog.columns.has(name);
}
