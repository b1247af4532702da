import { type Column, columnsOf, hasRowid, tableNames } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";

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
  /** Reads what a column `id` holds that is not the row id of its table; undefined without one. */
  otherIds: (table: string) => OtherIds | undefined;
}

/** Values of a column `id` that is not the row id. */
export interface OtherIds {
  /** True if they are distinct integers, or the texts of such: an INTEGER PRIMARY KEY can hold them. */
  areIntegers: boolean;
  /** SQL for the order of the rows. */
  order: string;
}

/** Reads all entries of `sqlite_schema`, in the order of their creation. */
export function schemaEntries(database: Database, schema: "main" | "backup" = "main"): SchemaEntry[] {
  return database
    .prepare(`SELECT type, name, tbl_name AS "table", sql FROM ${schema}.sqlite_schema ORDER BY rowid`)
    .all() as SchemaEntry[];
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
    otherIds: (table) => otherIds(database, table),
  };
}

function otherIds(database: Database, table: string): OtherIds | undefined {
  const id = columnsOf(database, table).find(({ name }) => name.toLowerCase() === "id");
  const isKey = id?.pk === 1 && id.type.toUpperCase() === "INTEGER";
  const rowid = hasRowid(database, table);
  const hasIndex = database.prepare("SELECT 1 FROM pragma_index_list(?, 'main') WHERE origin = 'pk'").get(table);
  if (id === undefined || (isKey && rowid && hasIndex === undefined)) return undefined;
  const areIntegers = database
    .prepare(
      `SELECT count(*) = count(DISTINCT CAST(id AS INTEGER)) AND total(CAST(CAST(id AS INTEGER) AS TEXT) IS NOT CAST(id AS TEXT)) = 0 FROM main.${sqlName(table)}`,
    )
    .pluck()
    .get();
  return { areIntegers: areIntegers === 1, order: rowid ? "rowid" : "id" };
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
  const names = new Set(catalog.columns.get(table)?.map(({ name }) => name.toLowerCase()));
  return hasTable(catalog, table) && columns.every((column) => names.has(column));
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
