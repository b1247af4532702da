import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { schemaEntries, type SchemaEntry } from "../sql/catalog.ts";

/**
 * Objects of the backup that do not exist any more, except for those of SQLite itself.
 *
 * @param isGone True for objects that the change removes.
 */
export function missingObjects(database: Database, isGone: (entry: SchemaEntry) => boolean): string[] {
  const present = new Set(schemaEntries(database).map(({ type, name }) => `${type} ${name}`));
  return schemaEntries(database, "backup")
    .filter((entry) => !/^sqlite_/i.test(entry.name) && !isGone(entry) && !present.has(`${entry.type} ${entry.name}`))
    .map(({ type, name }) => `the ${type} ${name} is missing`);
}

/**
 * Tables of the backup without a counter of the same value.
 *
 * @param renamed Lower-case name of a table that is `interactions` now.
 */
export function movedCounters(database: Database, renamed?: string): string[] {
  return database
    .prepare(
      `SELECT b.name FROM backup.sqlite_sequence AS b WHERE NOT EXISTS (
        SELECT 1 FROM main.sqlite_sequence AS m
        WHERE m.name = iif(lower(b.name) IS ?, 'interactions', b.name) AND m.seq IS b.seq AND typeof(m.seq) = typeof(b.seq))`,
    )
    .pluck()
    .all(renamed ?? null) as string[];
}

/** Differences for counters with another value than expected. */
export function wrongCounters(tables: readonly string[]): string[] {
  return tables.map((table) => `the row id counter of ${table} is wrong`);
}
