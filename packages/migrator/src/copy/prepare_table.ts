import { createPatternTables, PATTERN_INDEXES } from "@perdura/internals/patterns/sqlite_schema.js";
import { waitWhileBusy } from "@perdura/internals/sqlite/busy.js";
import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { TableName } from "./tables.ts";

/**
 * Makes a table of a database in SQLite ready for rows that come with their ids. Metrics are there already.
 *
 * @param above The highest id that comes. Set before the rows: who records meanwhile gets ids above it.
 */
export function prepareTable(
  database: Database,
  path: string,
  table: TableName,
  above: bigint | undefined,
  busyTimeoutMs: number,
): void {
  const prepare = database.transaction(() => {
    if (table === "patterns") {
      createPatternTables(database, path);
      for (const index of Object.values(PATTERN_INDEXES)) database.exec(index);
    }
    if (above !== undefined && above > 0n) countFrom(database, table, above);
  });
  // Where nothing is missing nobody is waited for; who first reads and then wants to write has to begin again.
  waitWhileBusy(busyTimeoutMs, prepare);
}

/** Lets new rows of a table that numbers them (AUTOINCREMENT) begin above an id. */
function countFrom(database: Database, table: TableName, above: bigint): void {
  if (!hasTable(database, "sqlite_sequence")) return;
  const counter = database.prepare("SELECT seq >= ? FROM main.sqlite_sequence WHERE name = ?").pluck();
  const isAbove = counter.get(above, table) as 0 | 1 | undefined;
  if (isAbove === 0) database.prepare("UPDATE main.sqlite_sequence SET seq = ? WHERE name = ?").run(above, table);
  if (isAbove === undefined) database.prepare("INSERT INTO main.sqlite_sequence VALUES (?, ?)").run(table, above);
}
