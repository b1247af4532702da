import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName, sqlText } from "./sql_text.ts";

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
