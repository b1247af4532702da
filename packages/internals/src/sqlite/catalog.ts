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

/** True when the main schema has an ordinary table (not a view) of that name; SQLite's names ignore ASCII case. */
export function hasTable(database: Database, name: string): boolean {
  return (
    database.prepare("SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE").get(name) !==
    undefined
  );
}

/** False for a table WITHOUT ROWID, which has no order of its own. */
export function hasRowid(database: Database, table: string): boolean {
  return database.prepare("SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'").pluck().get(table) !== 1;
}

/** The columns of a table or view, in order; empty when there is none of that name. */
export function columnsOf(database: Database, table: string): Column[] {
  return database
    .prepare('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)')
    .all(table) as Column[];
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
      ? `${dbPath}: found no table "${table}". It was left as it is.`
      : `${dbPath}: the table "${table}" lacks ${missing.map((column) => `"${column}"`).join(", ")}. It was left as it is.`,
    { path: dbPath },
  );
}
