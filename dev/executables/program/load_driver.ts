import { basename } from "node:path";
import { EXIT } from "@perdura/cli/exit_codes.js";
import Driver from "better-sqlite3";
import { getBinding } from "./sqlite_binary.ts";

/**
 * Takes the place of the module of the same name in `internals`, which leaves the driver to Node.js. Ends the program if
 * SQLite cannot be loaded: the caller would report that as a fault of the database that it opens.
 */
export function loadDriver(): typeof Driver {
  try {
    getBinding();
  } catch (error) {
    process.stderr.write(`${basename(process.execPath)}: ${(error as Error).message}\n`);
    process.exit(EXIT.failed);
  }
  return Driver;
}
