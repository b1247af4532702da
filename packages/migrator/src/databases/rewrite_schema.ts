import type { Database } from "@perdura/internals/sqlite/open_database.js";

/**
 * Changes texts in `sqlite_schema` itself, for what no statement of SQLite does. In a transaction that changes the schema
 * by a statement as well: only that tells other connections to read it again.
 *
 * @param change Runs statements that change `sqlite_schema`, and nothing else.
 */
export function rewriteSchema(database: Database, change: () => unknown): void {
  database.unsafeMode(true);
  try {
    database.pragma("writable_schema = ON");
    change();
    // Makes this connection read the schema again, and closes it for writing.
    database.pragma("writable_schema = RESET");
  } finally {
    database.unsafeMode(false);
  }
}
