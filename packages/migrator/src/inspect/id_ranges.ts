import type { Database } from "@perdura/internals/sqlite/open_database.js";

/** A part of a table; both ends belong to it. */
export interface IdRange {
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
