/**
 * `brief_holder.ts PATH SQL` holds a database for writing: prints "ready", and commits once its stdin has ended, as late as
 * a slow program, so that another one waits for it.
 */
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "../../../../test/legacy/legacy_database.ts";

const [path = "", sql = ""] = process.argv.slice(2);
const database = connect(path);
database.exec("BEGIN IMMEDIATE");
database.exec(sql);
process.stdout.write("ready\n");
await once(process.stdin.resume(), "end");
await pause(400);
database.exec("COMMIT");
database.close();
