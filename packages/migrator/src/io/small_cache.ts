import type { Database } from "@perdura/internals/sqlite/open_database.js";

/**
 * In KiB, for each schema. Whoever goes through a table from one end to the other asks for no page twice, and a cache that
 * fits into the processor's own is the quicker one: index builds take three quarters of the time that they take with the
 * driver's 16 MB. Below this, pages of a large change would have to be written, and the journal be synced, far too often.
 */
const KIB = 6000;

/** Keeps the memory of a connection small, however large the database is. */
export function useSmallCache(database: Database, schema = "main"): void {
  database.pragma(`${schema}.cache_size = -${KIB}`);
}
