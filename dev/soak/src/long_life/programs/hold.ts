import Database from "better-sqlite3";

/** `hold.ts DATABASE WAY`: holds a snapshot until standard input ends, or with `idle` only a connection. */
const [path = "", way = ""] = process.argv.slice(2);
const database = new Database(path, { readonly: true });
if (way !== "idle") database.exec("BEGIN");
database.prepare("SELECT count(*) FROM interactions").get();
process.stdout.write("holding\n");
process.stdin.on("end", () => database.close()).resume();
