import type { Database } from "@perdura/internals/sqlite/open_database.js";

/** Which of these tables and views, in lower case, have a column of that name. */
export function columnsNamed(database: Database, column: string, among: ReadonlySet<string>): string[] {
  const names = database
    .prepare("SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view') ORDER BY rowid")
    .pluck()
    .all() as string[];
  return names.filter((name) => among.has(name.toLowerCase()) && hasColumn(database, name, column));
}

function hasColumn(database: Database, table: string, column: string): boolean {
  try {
    return (
      database
        .prepare("SELECT 1 FROM pragma_table_xinfo(?, 'main') WHERE name = ? COLLATE NOCASE")
        .get(table, column) !== undefined
    );
  } catch {
    // It does not work; what is to be said of that is said elsewhere.
    return false;
  }
}
