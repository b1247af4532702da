import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";
import { allColumnsOf } from "./catalog.ts";

/**
 * A name for the row ids of a table: a column of the user with the same name hides an alias.
 *
 * @throws Stop if all three are hidden: rows with equal values could not be distinguished.
 */
export function rowIdName(table: string, columns: readonly string[]): string {
  const taken = new Set(columns.map((column) => column.toLowerCase()));
  const free = ["rowid", "_rowid_", "oid"].find((alias) => !taken.has(alias));
  if (free !== undefined) return free;
  throw new Stop(
    "refused",
    `The table ${table} has columns named rowid, _rowid_ and oid, which hide its row ids, so its rows cannot be compared. Rename one of these columns first.`,
  );
}

/** The column that is an alias of the row id. */
export function integerKey(database: Database, table: string, schema = "main"): string | undefined {
  return database
    .prepare(
      `SELECT name FROM pragma_table_info(@table, @schema) WHERE pk = 1 AND type = 'INTEGER' COLLATE NOCASE
       AND NOT EXISTS (SELECT 1 FROM pragma_index_list(@table, @schema) WHERE origin = 'pk')`,
    )
    .pluck()
    .get({ table, schema }) as string | undefined;
}

/** True if the primary key of a table is its row id: then it needs no index, and is unique and never NULL. */
export function isRowId(database: Database, table: string, schema = "main"): boolean {
  return database.prepare("SELECT 1 FROM pragma_index_list(?, ?) WHERE origin = 'pk'").get(table, schema) === undefined;
}

/** @throws Stop that names a table whose rows the proof could not distinguish. */
export function assertRowsDistinguishable(database: Database): void {
  const tables = database
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') AND wr = 0")
    .pluck()
    .all() as string[];
  for (const table of tables) rowIdName(table, allColumnsOf(database, table));
}

/** A range of row ids, including both ends. */
interface IdRange {
  first: bigint;
  last: bigint;
}

/** About the number of rows that SQLite scans in a tenth of a second. */
const ROWS = 1_000_000;

/**
 * Divides a table into ranges of row ids, so that a long scan can report progress and be interrupted. Together they
 * contain every row. With large gaps between ids the ranges have uneven numbers of rows; their number stays small.
 *
 * @param table The quoted name, with its schema.
 * @param id The quoted name of the row id, or of its alias column.
 * @param rows Approximate number of rows.
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
