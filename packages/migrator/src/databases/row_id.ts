import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../core/stop.ts";

/**
 * The name under which the row ids of a table can be asked for: a column of the user hides the alias that it is called by.
 *
 * @throws Stop when all three are hidden: no row could be told from an equal one.
 */
export function rowIdName(table: string, columns: readonly string[]): string {
  const taken = new Set(columns.map((column) => column.toLowerCase()));
  const free = ["rowid", "_rowid_", "oid"].find((alias) => !taken.has(alias));
  if (free !== undefined) return free;
  throw new Stop(
    "refused",
    `The table ${table} has columns rowid, _rowid_ and oid, so that its rows could not be compared one by one. Rename one of them first.`,
  );
}

/** True when the primary key of a table is its row id: then it needs no index of its own, is never NULL and never twice. */
export function isRowId(database: Database, table: string): boolean {
  return database.prepare("SELECT 1 FROM pragma_index_list(?, 'main') WHERE origin = 'pk'").get(table) === undefined;
}

/** @throws Stop naming a table whose rows the proof could not tell apart. */
export function assertRowsTellApart(database: Database): void {
  const tables = database
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') AND wr = 0")
    .pluck()
    .all() as string[];
  const columns = database.prepare("SELECT name FROM pragma_table_xinfo(?)").pluck();
  for (const table of tables) rowIdName(table, columns.all(table) as string[]);
}
