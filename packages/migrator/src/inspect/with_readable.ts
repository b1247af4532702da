import type { HasSettings } from "../core/run.ts";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { openReadable } from "./read_copy.ts";

/**
 * Opens a database so that nothing can be written, and closes it afterwards.
 *
 * @param original Where the database lies of which `place` may be a private copy.
 */
export function withReadable<Result>(
  place: { path: string },
  original: string,
  run: HasSettings,
  use: (database: Database) => Result,
): Result {
  const database = openReadable({ ...place, remove: () => undefined }, original, run.settings.busyTimeoutMs);
  try {
    return use(database);
  } finally {
    database.close();
  }
}
