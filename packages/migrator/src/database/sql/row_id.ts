import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";

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

/** A part of a table; both ends belong to it. */
interface IdRange {
  first: bigint;
  last: bigint;
}

/** About as many rows as SQLite goes through in a tenth of a second. */
const ROWS = 1_000_000;

/**
 * Cuts a table into ranges of row ids, so that a long look at it can tell how far it is and be interrupted in between. All
 * of them together hold every row. Where ids have large gaps the ranges are uneven; the number of them stays small.
 *
 * @param table The quoted name, with its schema.
 * @param id The quoted name of the row id, or of the column that is one.
 * @param rows About how many rows there are.
 */
export function idRanges(database: Database, table: string, id: string, rows: number): IdRange[] {
  const end = (which: "min" | "max"): bigint | null =>
    database.prepare(`SELECT ${which}(${id}) FROM ${table}`).pluck().safeIntegers().get() as bigint | null;
  const [first, last] = [end("min"), end("max")];
  if (first === null || last === null) return [];
  const width = (last - first) / (BigInt(Math.floor(rows / ROWS)) + 1n) + 1n;
  const ranges: IdRange[] = [];
  for (let start = first; start <= last; start += width)
    ranges.push({ first: start, last: start + width > last ? last : start + width - 1n });
  return ranges;
}
