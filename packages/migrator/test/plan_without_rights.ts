import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { planMigration } from "../src/index.ts";

// Loads the driver while its files can still be read.
openDatabase(":memory:", { access: "create" }).close();
// Nobody stops the superuser from writing, so a plan of theirs could not tell.
if (process.getuid?.() === 0) process.setuid?.(65_534);
process.stdout.write(JSON.stringify(await planMigration(process.argv[2] as string)));
