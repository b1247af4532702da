import { copyFileSync, existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { dataFile, rowSeconds, rowValues, typicalUsers } from "./interactions.ts";

/** The path of a database with sums, and with a tenth more rows that another program added since; made at the first call. */
export function fileWithForeignRows(directory: string, rows: number): string {
  const path = join(directory, `foreign-${rows}.db`);
  if (existsSync(path)) return path;
  const half = `${path}.half`;
  const users = typicalUsers(rows);
  copyFileSync(dataFile(directory, { layout: "perdura", rows, users }), half);
  const database = new Database(half);
  database.pragma("synchronous = OFF");
  // Some users are new.
  database.exec(`WITH RECURSIVE numbers(n) AS (SELECT ${rows + 1} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows + rows / 10})
    INSERT INTO interactions (user_id, level, success, response_time_ms, timestamp)
    SELECT ${rowValues(users + Math.ceil(users / 100))}, datetime(${rowSeconds(rows)}, 'unixepoch') FROM numbers`);
  database.close();
  renameSync(half, path);
  return path;
}
