import { isVirtualTable } from "../inspect/database_copy.ts";
import type { ScratchDatabase } from "../inspect/database_copy.ts";

/** A column of a table. */
interface Column {
  name: string;
  /** True for a generated column, which cannot be written. */
  computed: boolean;
}

/** A table, view or virtual table of the schema. */
export interface DatabaseObject {
  name: string;
  kind: "a table" | "a view" | "a virtual table";
  /**
   * By name in lower case, as SQLite compares names. Empty for views and virtual tables: reading their columns would
   * compile them.
   */
  columns: Map<string, Column>;
}

/**
 * The tables and views of a database by their names in lower case. Only the schema is read: no view is run or compiled,
 * since a hostile one could keep SQLite busy without end. (`PRAGMA table_list` compiles all of them.)
 */
export function objectsOf(copy: ScratchDatabase): Map<string, DatabaseObject> {
  const objects = new Map<string, DatabaseObject>();
  for (const row of copy.rows("SELECT name, type, rootpage, sql FROM sqlite_schema WHERE type IN ('table', 'view')")) {
    const name = String(row.name);
    const kind = row.type === "view" ? "a view" : isVirtualTable(row.sql, row.rootpage) ? "a virtual table" : "a table";
    objects.set(name.toLowerCase(), { name, kind, columns: kind === "a table" ? columnsOf(copy, name) : new Map() });
  }
  return objects;
}

function columnsOf(copy: ScratchDatabase, table: string): Map<string, Column> {
  const rows = copy.rows("SELECT name, hidden FROM pragma_table_xinfo(?)", table);
  return new Map(
    rows.map(({ name, hidden }) => [String(name).toLowerCase(), { name: String(name), computed: hidden !== 0 }]),
  );
}

/** The table of this name, if it is a table. */
export function tableNamed(objects: Map<string, DatabaseObject>, name: string): DatabaseObject | undefined {
  const found = objects.get(name);
  return found?.kind === "a table" ? found : undefined;
}

/** A quoted SQL identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
