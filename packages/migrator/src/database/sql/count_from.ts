import type { Database } from "@perdura/internals/sqlite/open_database.js";

/** Number of rows, given the SQL after FROM. */
export function countFrom(database: Database, from: string): number {
  return database.prepare(`SELECT count(*) FROM ${from}`).pluck().get() as number;
}
