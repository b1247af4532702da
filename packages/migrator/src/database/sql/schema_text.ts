import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName, sqlText } from "./sql_text.ts";

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

/** Another text for one entry of `sqlite_schema`. */
export interface TextChange {
  type: string;
  name: string;
  from: string;
  to: string;
}

/**
 * Writes other texts into the schema, where no statement of SQLite could: of entries that it does not parse, or that keep
 * their place and content. Other connections read the schema again once a statement of the same transaction made or
 * dropped something.
 *
 * @throws Error when an entry does not have the text that it should have.
 */
export function changeSchemaText(database: Database, changes: readonly TextChange[]): void {
  if (changes.length === 0) return;
  rewriteSchema(database, () => {
    const update = database.prepare(
      "UPDATE main.sqlite_schema SET sql = @to WHERE type = @type AND name = @name AND sql = @from",
    );
    for (const change of changes) {
      if (update.run(change).changes !== 1)
        throw new Error(`The text of the ${change.type} ${change.name} is not what it was expected to be`);
    }
  });
}

/** Takes the triggers of the tables away while `change` runs, and puts them back with the same text. */
export function withoutTriggers(database: Database, tables: readonly string[], change: () => void): void {
  const triggers = database
    .prepare(
      `SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name COLLATE NOCASE IN (${tables.map(sqlText).join(", ")}) ORDER BY rowid`,
    )
    .all() as { name: string; sql: string }[];
  for (const { name } of triggers) database.exec(`DROP TRIGGER main.${sqlName(name)}`);
  change();
  for (const { sql } of triggers) database.exec(sql);
}
