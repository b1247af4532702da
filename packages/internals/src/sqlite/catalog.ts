import { CorruptDataError } from "../errors/errors.ts";
import type { Database } from "./open_database.ts";

/** What a table's column looks like to `PRAGMA table_info`. */
export interface Column {
  name: string;
  type: string;
  notnull: 0 | 1;
  dflt_value: string | null;
  pk: number;
}

/** The database of a connection, or one that is attached to it. */
type Schema = "main" | "backup";

/**
 * True when a schema has an ordinary table of that name; SQLite's names ignore ASCII case. A view is none, and neither is a
 * virtual table: behind one that takes its rows from a view, to read is to run what somebody wrote.
 */
export function hasTable(database: Database, name: string, schema: Schema = "main"): boolean {
  return ordinaryTables(database, schema, "AND name = ? COLLATE NOCASE", name).length > 0;
}

/** The names of all ordinary tables, and whether there are others: tables of extensions, which run code of theirs. */
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

/** Such a table has a root page only where somebody forged it. SQLite takes comments for blanks, each of which is
 * read in one way only: otherwise a long row of dashes would be tried in all its parts. */
const VIRTUAL = /^create(?:\s|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)+virtual\b/i;

/** What is called so, without asking it anything: to ask a view for its columns is to compile it. */
export function kindOf(database: Database, name: string): "table" | "view" | undefined {
  return database
    .prepare("SELECT type FROM main.sqlite_schema WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE")
    .pluck()
    .get(name) as "table" | "view" | undefined;
}

/**
 * False for a table WITHOUT ROWID, which has no order of its own: the index of its key is the table, and so has no row ids.
 * (`PRAGMA table_list` would tell, but it compiles all views, and somebody may have nested them so that this never ends.)
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

/** The columns of a table or view, in order; empty when there is none of that name. */
export function columnsOf(database: Database, table: string, schema: Schema = "main"): Column[] {
  return database
    .prepare('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?, ?)')
    .all(table, schema) as Column[];
}

/** @throws CorruptDataError naming what `table` lacks. */
export function assertColumns(database: Database, table: string, expected: readonly string[], dbPath: string): void {
  const present = hasTable(database, table)
    ? columnsOf(database, table).map((column) => column.name.toLowerCase())
    : [];
  const missing = expected.filter((column) => !present.includes(column));
  if (missing.length === 0) return;
  throw new CorruptDataError(
    present.length === 0
      ? `found no table "${table}". It was left as it is.`
      : `the table "${table}" lacks ${missing.map((column) => `"${column}"`).join(", ")}. It was left as it is.`,
    { path: dbPath },
  );
}
