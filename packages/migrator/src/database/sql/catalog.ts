import { type Column, columnsOf, tableNames } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";

/** One entry of `sqlite_schema`. */
export interface SchemaEntry {
  type: "table" | "index" | "view" | "trigger";
  name: string;
  /** The table that it belongs to. */
  table: string;
  /** null for indexes that SQLite made automatically. */
  sql: string | null;
}

/** The schema of a database, by which its layout is recognised. */
export interface Catalog {
  /** The connection that it was read through, for what only few layouts need. */
  database: Database;
  /** In the order of their creation. */
  entries: SchemaEntry[];
  /** Columns of ordinary tables, keyed by lower-case name: SQLite's names ignore ASCII case. */
  columns: Map<string, Column[]>;
  /** Lower-case names of the generated columns of the same tables. */
  computed: Map<string, string[]>;
}

/** Reads all entries of `sqlite_schema`, in the order of their creation. */
export function schemaEntries(database: Database, schema: "main" | "backup" = "main"): SchemaEntry[] {
  return database
    .prepare(`SELECT type, name, tbl_name AS "table", sql FROM ${schema}.sqlite_schema ORDER BY rowid`)
    .all() as SchemaEntry[];
}

/** True if a database has counters of row ids. */
export function countsIds(database: Database, schema: "main" | "backup"): boolean {
  return database.prepare(`SELECT 1 FROM ${schema}.sqlite_schema WHERE name = 'sqlite_sequence'`).get() !== undefined;
}

/** Names of all columns of a table that are not generated, as spelled in the file. */
export function columnsOfTable(database: Database, table: string, schema: "main" | "backup" = "main"): string[] {
  return columnsOf(database, table, schema).map(({ name }) => name);
}

/** The same with the generated columns. */
export function allColumnsOf(database: Database, table: string, schema: "main" | "backup" = "main"): string[] {
  return database.prepare("SELECT name FROM pragma_table_xinfo(?, ?)").pluck().all(table, schema) as string[];
}

/** Reads the schema, with the columns of the given tables only. */
export function readCatalog(database: Database, tables: readonly string[]): Catalog {
  const entries = schemaEntries(database);
  const present = new Set(tableNames(database).ordinary.map((name) => name.toLowerCase()));
  const found = tables.filter((name) => present.has(name));
  return {
    database,
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

/** True if the table exists, has a row id named `id`, and has all of these columns but none of `without`. */
export function isMetricsTable(
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

/** True if the table exists and has all of these columns, among any others. */
export function hasColumns(catalog: Catalog, table: string, columns: readonly string[]): boolean {
  const names = (catalog.columns.get(table) ?? []).map(({ name }) => name);
  return hasTable(catalog, table) && includesAll(names, columns);
}

/** True if the table exists and has all of these columns, of which some may be generated. */
export function hasNames(catalog: Catalog, table: string, columns: readonly string[]): boolean {
  const computed = catalog.computed.get(table) ?? [];
  return hasColumns(
    catalog,
    table,
    columns.filter((column) => !computed.includes(column)),
  );
}

/** Finds an entry by name, ignoring case. */
export function entryNamed(catalog: Catalog, name: string, type?: SchemaEntry["type"]): SchemaEntry | undefined {
  return catalog.entries.find(
    (entry) => entry.name.toLowerCase() === name.toLowerCase() && (type === undefined || entry.type === type),
  );
}

/** True if the ordinary table exists. */
export function hasTable(catalog: Catalog, name: string): boolean {
  return catalog.columns.has(name);
}

/** True if names contain all wanted ones, ignoring case like SQLite. */
export function includesAll(names: readonly string[], wanted: readonly string[]): boolean {
  const lower = new Set(names.map((name) => name.toLowerCase()));
  return wanted.every((name) => lower.has(name.toLowerCase()));
}

/** The wanted name, with a number if it is taken. */
export function freeName(wanted: string, names: readonly string[]): string {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  let name = wanted;
  for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${wanted}_${number}`;
  return name;
}
