/** `brief_holder.ts PATH SQL` holds a database for writing, as long as a slow program: prints "ready", and commits. */
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "../../../../test/legacy/legacy_database.ts";

const [path = "", sql = ""] = process.argv.slice(2);
const database = connect(path);
database.exec("BEGIN IMMEDIATE");
database.exec(sql);
process.stdout.write("ready\n");
await pause(400);
database.exec("COMMIT");
database.close();
