import { hasRowid } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { plainCondition } from "./plain_rows.ts";
import type { Seen } from "./side.ts";
import { assertReadable, sqliteRows } from "./sqlite_rows.ts";
import type { CopiedTable } from "./tables.ts";

/** Rows that SQLite tests at a time: one statement for all would leave no time for progress, or an interruption. */
const AT_ONCE = 100_000;
/** Below every rowid. */
const BELOW_ALL = -1e19;

/** Rows of which another store may not hold every value. */
export function* doubtfulRows(
  database: Database,
  place: string,
  table: CopiedTable,
  atOnce: number = AT_ONCE,
): Generator<Seen, void> {
  assertReadable(database, place, table);
  const condition = plainCondition(table);
  if (condition === undefined || !hasRowid(database, table.name)) {
    for (const rows of sqliteRows(database, place, table, { where: "", values: [] })) yield { rows, seen: rows.length };
    return;
  }
  const part = database
    .prepare(
      `SELECT max(rowid), count(*) FROM (SELECT rowid FROM main.${table.name} WHERE rowid > ? ORDER BY rowid LIMIT ${atOnce})`,
    )
    .raw()
    .safeIntegers();
  const where = `own.rowid > ? AND own.rowid <= ? AND (${condition}) IS NOT TRUE`;
  for (let after: bigint | number = BELOW_ALL; ;) {
    const [last, seen] = part.get(after) as [bigint | null, bigint];
    if (last === null) return;
    for (const rows of sqliteRows(database, place, table, { where, values: [after, last] })) yield { rows, seen: 0 };
    yield { rows: [], seen: Number(seen) };
    after = last;
  }
}
