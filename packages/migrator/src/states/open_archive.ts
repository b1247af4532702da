import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../stop.ts";
import { ARCHIVE_TABLES } from "./archive_schema.ts";

/**
 * Opens an archive to read it.
 *
 * @throws Stop when it is none that perdura-migrate made; whatever the driver says of a file that cannot be read.
 */
export function openArchive(path: string): Database {
  const archive = openDatabase(path, { access: "read" });
  try {
    if (!hasTables(archive))
      throw new Stop("failed", `${path}: expected an archive that perdura-migrate made, found another database.`);
    // It is gone through in order, or looked into here and there: more would only be held.
    archive.pragma("cache_size = -1024");
    return archive;
  } catch (error) {
    archive.close();
    throw error;
  }
}

/** True when the file is an archive that perdura-migrate made. */
export function isArchive(path: string): boolean {
  try {
    openArchive(path).close();
    return true;
  } catch {
    return false;
  }
}

function hasTables(archive: Database): boolean {
  const marks = ARCHIVE_TABLES.map(() => "?").join(", ");
  const found = archive
    .prepare(`SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN (${marks})`)
    .pluck()
    .get(...ARCHIVE_TABLES);
  return found === ARCHIVE_TABLES.length;
}
