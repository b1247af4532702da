import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "../support/folder.ts";
import { type Connection, connect } from "../../../../test/legacy/legacy_database.ts";

export const TABLES = ["a", "b"] as const;

/** Makes two tables with rows and an index, and free pages. */
export function database(): { path: string; copy: string; connection: Connection } {
  const path = join(freshFolder(), "m.db");
  const connection = connect(path);
  connection.exec("PRAGMA page_size = 512; CREATE TABLE gone (x)");
  for (const table of TABLES)
    connection.exec(`CREATE TABLE ${table} (id INTEGER PRIMARY KEY, n, t TEXT); CREATE INDEX i_${table} ON ${table}(n);
      WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 300)
      INSERT INTO ${table} SELECT n, n, hex(randomblob(iif(n % 50 = 0, 2000, 20))) FROM numbers`);
  connection.exec("INSERT INTO gone VALUES (zeroblob(9000)); DROP TABLE gone");
  const copy = `${path}.copy`;
  copyFileSync(path, copy);
  return { path, copy, connection };
}

/** The pages of the schema table. */
export function schemaPages(path: string): number[] {
  const connection = connect(path, { readonly: true });
  try {
    return connection.prepare("SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'").pluck().all() as number[];
  } finally {
    connection.close();
  }
}
