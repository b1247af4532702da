import Database from "better-sqlite3";

/** `hold_lock.ts PATH SQL` runs statements on a database, prints "ready", and keeps its locks until its stdin ends. */
const [path = "", sql = ""] = process.argv.slice(2);
const database = new Database(path);
database.exec(sql);
process.stdin.on("end", () => database.close());
process.stdin.resume();
process.stdout.write("ready\n");
