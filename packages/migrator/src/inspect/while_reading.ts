import type { Workers } from "../child/workers.ts";
import type { HasSettings } from "../core/run.ts";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { FoundDatabase } from "../core/discovery.ts";
import { beginReading, openReadable, readablePlace } from "./read_copy.ts";

/**
 * Opens a database, or a private copy of it where reading it would write beside it, and keeps what is read as it is from
 * the first look to the last. Cannot write. Everything is closed and removed afterwards.
 *
 * @param use Gets the connection, and the path that it leads to.
 */
export async function whileReading<Result>(
  found: FoundDatabase,
  run: HasSettings & Workers,
  use: (database: Database, path: string) => Result | Promise<Result>,
): Promise<Result> {
  const { busyTimeoutMs } = run.settings;
  const place = await readablePlace(found.path, found.wal, run.files, busyTimeoutMs);
  try {
    const database = openReadable(place, found.path, busyTimeoutMs);
    try {
      beginReading(database);
      return await use(database, place.path);
    } finally {
      database.close();
    }
  } finally {
    place.remove();
  }
}
