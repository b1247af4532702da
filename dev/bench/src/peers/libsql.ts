import { createRequire } from "node:module";
import type Database from "better-sqlite3";

const require = createRequire(import.meta.url);

/** True if the package `libsql` can be loaded, for example with `NODE_PATH`. */
export function hasLibsql(): boolean {
  try {
    require.resolve("libsql");
    return true;
  } catch {
    return false;
  }
}

/** The driver of libSQL, which has the methods of better-sqlite3. */
export const libsql = (): typeof Database => require("libsql") as typeof Database;
