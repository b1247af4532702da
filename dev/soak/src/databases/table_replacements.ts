import type Database from "better-sqlite3";
import { addEntry, ENDLESS, forge } from "./forge.ts";

const columnsOf = (database: Database.Database, table: string): string[] =>
  database.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table) as string[];

/** Infinitely many rows, in columns with these names. */
const endlessRows = (columns: readonly string[]): string =>
  `${ENDLESS} SELECT ${[...columns, "rowid"].map((column) => `x AS "${column}"`).join(", ")} FROM n`;

const named = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(", ");

/** Replacements for a table. */
export const TABLE_REPLACEMENTS: Record<string, (table: string) => (columns: readonly string[]) => string[]> = {
  "an endless view": (table) => (columns) => [`CREATE VIEW ${table} AS ${endlessRows(columns)}`],
  "full-text search over an endless view": (table) => (columns) => [
    `CREATE VIEW bomb AS ${endlessRows(columns)}`,
    `CREATE VIRTUAL TABLE ${table} USING fts5(${named(columns)}, content='bomb', content_rowid='rowid')`,
    `CREATE TABLE ${table}_data (id INTEGER PRIMARY KEY, block BLOB)`,
  ],
  "old full-text search over an endless view": (table) => (columns) => [
    `CREATE VIEW bomb AS ${endlessRows(columns)}`,
    `CREATE VIRTUAL TABLE ${table} USING fts4(${named(columns)}, content="bomb")`,
  ],
};

/** Replaces a table, with its indexes and triggers, by something else of the same name. */
export function replaceTable(path: string, table: string, made: (columns: readonly string[]) => string[]): void {
  forge(path, (database) => {
    const columns = columnsOf(database, table);
    if (columns.length === 0) columns.push("a", "b");
    else database.prepare("DELETE FROM sqlite_schema WHERE tbl_name = ? OR name = ?").run(table, table);
    for (const sql of made(columns)) addEntry(database, sql);
  });
}
