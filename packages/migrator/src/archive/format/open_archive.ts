import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";
import { ARCHIVE_TABLES } from "./schema.ts";
import { CorruptDataError } from "@perdura/internals/errors/errors.js";

/**
 * Opens an archive to read it.
 *
 * @throws CorruptDataError when it is none that perdura-migrate made; whatever the driver says of a file that cannot be read.
 */
export function openArchive(path: string): Database {
  const archive = openDatabase(path, { access: "read" });
  try {
    if (!hasTables(archive))
      throw new CorruptDataError("expected an archive that perdura-migrate made, found another database.", { path });
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

/** An archive stores its contents. What is computed instead can be endlessly more than there are bytes. */
function hasComputedColumns(archive: Database, table: string): boolean {
  return archive.prepare("SELECT 1 FROM pragma_table_xinfo(?, 'main') WHERE hidden <> 0").get(table) !== undefined;
}

function hasTables(archive: Database): boolean {
  return ARCHIVE_TABLES.every((table) => hasTable(archive, table) && !hasComputedColumns(archive, table));
}

/** What is wrong with an archive that a caller of the library named, as an error that names it; any other error as it is. */
export function archiveError(error: unknown, archive: string): unknown {
  if (!(error instanceof Stop) || error.status === "interrupted") return error;
  return new CorruptDataError(error.message, { path: archive, cause: error });
}
