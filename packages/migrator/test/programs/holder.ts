import Database from "better-sqlite3";

/**
 * Another user of a database: `holder.ts PATH WAY` opens it, prints "ready", and holds it until its stdin ends.
 *
 * - `write` holds the write lock; `read` is reading;
 * - `spill` is making a change so large that SQLite has begun to write it into the file.
 */
const [path = "", way = ""] = process.argv.slice(2);
const database = new Database(path);

const START: Record<string, string> = {
  write: "BEGIN IMMEDIATE",
  read: "BEGIN; SELECT count(*) FROM sqlite_schema",
  spill:
    "PRAGMA cache_size = 5; PRAGMA cache_spill = 5; BEGIN IMMEDIATE; UPDATE metrics SET user_id = user_id || ' changed by a transaction that never ends'",
};
database.exec(START[way] ?? "");

// Closed here, so that the connection is in use until then and is not collected.
process.stdin.on("end", () => database.close());
process.stdin.resume();
process.stdout.write("ready\n");
