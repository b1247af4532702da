import Database from "better-sqlite3";

/** Opens a database with SQLite's protections of the schema off. */
export function forge(path: string, change: (database: Database.Database) => void): void {
  const database = new Database(path);
  try {
    database.unsafeMode(true);
    database.pragma("writable_schema = ON");
    database.pragma("foreign_keys = OFF");
    change(database);
  } finally {
    database.close();
  }
}

/** Adds an entry to the schema that SQLite might refuse to create. */
export function addEntry(database: Database.Database, sql: string): void {
  const [, type, name] = /^CREATE (?:VIRTUAL )?(TABLE|VIEW) "?(\w+)/.exec(sql) as unknown as [string, string, string];
  database.prepare("INSERT INTO sqlite_schema VALUES (?, ?, ?, 0, ?)").run(type.toLowerCase(), name, name, sql);
}

/** Infinitely many rows. */
export const ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";
