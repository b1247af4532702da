import { tableNames } from "@perdura/internals/sqlite/catalog.js";
import { unreadableIndexes } from "@perdura/internals/sqlite/collations.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";

/**
 * The collation without which SQLite cannot read any row of a table: that of the key of a table WITHOUT ROWID.
 *
 * @returns Undefined for a table that can be read, if need be without its indexes.
 */
export function missingCollation(database: Database, table: string, schema: "main" | "backup"): string | undefined {
  return unreadableIndexes(database, table, schema).find(({ isTable }) => isTable)?.collation;
}

/** Notes on tables whose rows are neither read nor compared. No statement of a migration changes them. */
export function notesOnUnreadable(database: Database): string[] {
  return tableNames(database).ordinary.flatMap((table) => {
    const collation = missingCollation(database, table, "main");
    return collation === undefined
      ? []
      : [
          `the table ${table} is not compared: its key has the collation ${collation}, which an application defines, and without which SQLite cannot read its rows. It is not changed`,
        ];
  });
}
