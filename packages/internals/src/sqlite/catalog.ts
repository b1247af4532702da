import { CorruptDataError } from "../errors/errors.ts";
import type { Database } from "./open_database.ts";

/** Column of a table, as `PRAGMA table_info` describes it. */
export interface Column {
  name: string;
  type: string;
  notnull: 0 | 1;
  dflt_value: string | null;
  pk: number;
}

/** The main database of a connection, or one that is attached to it. */
export type Schema = "main" | "backup" | "levels";

/** A row of SQLite's schema table. */
export interface SchemaObject {
  type: "table" | "index" | "view" | "trigger";
  name: string;
  sql: string;
  rootpage: number;
}

const OBJECTS = "SELECT type, name, sql, rootpage FROM";

/** Objects of a schema that have one of the names. SQLite's names ignore ASCII case. */
export function schemaObjects(database: Database, names: readonly string[], schema: Schema = "main"): SchemaObject[] {
  const places = names.map(() => "?").join(", ");
  return database
    .prepare(`${OBJECTS} ${schema}.sqlite_schema WHERE name COLLATE NOCASE IN (${places})`)
    .all(names) as SchemaObject[];
}

/**
 * True for an ordinary table. Views and virtual tables do not count: reading a virtual table whose rows come from a view
 * would run foreign code.
 */
export function isOrdinaryTable({ type, sql, rootpage }: SchemaObject): boolean {
  return type === "table" && rootpage > 0 && !VIRTUAL.test(sql);
}

/** True if a schema has an ordinary table of that name; see {@link isOrdinaryTable}. */
export function hasTable(database: Database, name: string, schema: Schema = "main"): boolean {
  return schemaObjects(database, [name], schema).some(isOrdinaryTable);
}

/**
 * Names of all ordinary tables. `hasVirtual` is true if there are virtual tables of extensions, which run the
 * extension's code.
 */
export function tableNames(database: Database, schema: Schema = "main"): { ordinary: string[]; hasVirtual: boolean } {
  const all = database.prepare(`${OBJECTS} ${schema}.sqlite_schema WHERE type = 'table'`).all() as SchemaObject[];
  const ordinary = all.filter(isOrdinaryTable).map(({ name }) => name);
  return { ordinary, hasVirtual: ordinary.length !== all.length };
}

/**
 * A virtual table only has a root page if the schema was forged. SQLite treats comments as blanks. Each alternative
 * matches in one way only, because backtracking over a long row of dashes would take too long.
 */
const VIRTUAL = /^create(?:\s|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)+virtual\b/i;

/** Kind of the object with a name. Reads the schema only, because asking a view for its columns would compile it. */
export function kindOf(database: Database, name: string): "table" | "view" | undefined {
  return kindAmong(schemaObjects(database, [name]));
}

/** Kind of the table or view among objects with one name. */
export function kindAmong(objects: readonly SchemaObject[]): "table" | "view" | undefined {
  return objects.map(({ type }) => type).find((type) => type === "table" || type === "view");
}

/**
 * False for a table WITHOUT ROWID: the index of its key is the table, so the rows have no row ids. (`PRAGMA table_list`
 * would show this, but compiles all views, and hostile views can be nested so that this never ends.)
 */
export function hasRowid(database: Database, table: string): boolean {
  const isRowless = database
    .prepare(
      `SELECT 1 FROM pragma_index_list(?, 'main') AS list WHERE origin = 'pk'
         AND NOT EXISTS (SELECT 1 FROM pragma_index_xinfo(list.name, 'main') WHERE cid = -1)`,
    )
    .get(table);
  return isRowless === undefined;
}

/** Columns of a table or view, in order; empty if the name does not exist. */
export function columnsOf(database: Database, table: string, schema: Schema = "main"): Column[] {
  return database
    .prepare('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?, ?)')
    .all(table, schema) as Column[];
}

/** @throws CorruptDataError that names what `table` lacks. */
export function assertColumns(database: Database, table: string, expected: readonly string[], dbPath: string): void {
  assertPresent(hasTable(database, table) ? columnNames(database, table) : [], table, expected, dbPath);
}

/** Names of the columns of a table, in lower case. */
export function columnNames(database: Database, table: string): string[] {
  return columnsOf(database, table).map((column) => column.name.toLowerCase());
}

/**
 * The check of {@link assertColumns}.
 *
 * @param present {@link columnNames} of the table; empty if it is not an ordinary table.
 */
export function assertPresent(
  present: readonly string[],
  table: string,
  expected: readonly string[],
  dbPath: string,
): void {
  const missing = expected.filter((column) => !present.includes(column));
  if (missing.length === 0) return;
  throw new CorruptDataError(
    present.length === 0
      ? `found no table "${table}". No stored data was changed.`
      : `the table "${table}" lacks ${missing.map((column) => `"${column}"`).join(", ")}. No stored data was changed.`,
    { path: dbPath },
  );
}
