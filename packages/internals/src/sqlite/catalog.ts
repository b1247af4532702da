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
type Schema = "main" | "backup";

/**
 * True if a schema has an ordinary table of that name; SQLite's names ignore ASCII case. Views and virtual tables do
 * not count: reading a virtual table whose rows come from a view would run foreign code.
 */
export function hasTable(database: Database, name: string, schema: Schema = "main"): boolean {
  return ordinaryTables(database, schema, "AND name = ? COLLATE NOCASE", name).length > 0;
}

/**
 * Names of all ordinary tables. `hasVirtual` is true if there are virtual tables of extensions, which run the
 * extension's code.
 */
export function tableNames(database: Database, schema: Schema = "main"): { ordinary: string[]; hasVirtual: boolean } {
  const all = database.prepare(`SELECT count(*) FROM ${schema}.sqlite_schema WHERE type = 'table'`).pluck().get();
  const ordinary = ordinaryTables(database, schema);
  return { ordinary, hasVirtual: ordinary.length !== all };
}

function ordinaryTables(database: Database, schema: Schema, condition = "", ...values: string[]): string[] {
  const found = database
    .prepare(`SELECT name, sql FROM ${schema}.sqlite_schema WHERE type = 'table' AND rootpage > 0 ${condition}`)
    .all(...values) as { name: string; sql: string }[];
  return found.filter(({ sql }) => !VIRTUAL.test(sql)).map(({ name }) => name);
}

/**
 * A virtual table only has a root page if the schema was forged. SQLite treats comments as blanks. Each alternative
 * matches in one way only, because backtracking over a long row of dashes would take too long.
 */
const VIRTUAL = /^create(?:\s|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)+virtual\b/i;

/** Kind of the object with a name. Reads the schema only, because asking a view for its columns would compile it. */
export function kindOf(database: Database, name: string): "table" | "view" | undefined {
  return database
    .prepare("SELECT type FROM main.sqlite_schema WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE")
    .pluck()
    .get(name) as "table" | "view" | undefined;
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
  const present = hasTable(database, table)
    ? columnsOf(database, table).map((column) => column.name.toLowerCase())
    : [];
  const missing = expected.filter((column) => !present.includes(column));
  if (missing.length === 0) return;
  throw new CorruptDataError(
    present.length === 0
      ? `found no table "${table}". The database was not changed.`
      : `the table "${table}" lacks ${missing.map((column) => `"${column}"`).join(", ")}. The database was not changed.`,
    { path: dbPath },
  );
}
