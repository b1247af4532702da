import { dirname, join } from "node:path";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { headerOf } from "@perdura/internals/sqlite/database_header.js";
import type { HasSettings } from "../../core/options.ts";
import type { MissingLevels } from "../../core/report.ts";
import { Stop } from "../../core/stop.ts";
import type { Workers } from "../../io/child/workers.ts";
import { entriesIn } from "../../io/entries.ts";
import { withReadable } from "../../io/readable_database.ts";
import { whileReadable } from "./level_file.ts";
import { levelsInTable } from "./level_source.ts";
import { interactionsWithLevels } from "../layouts/level_tables.ts";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import { ASSUMED_LEVELS, hasOwn } from "../record/side_tables.ts";
import { countFrom } from "../sql/count_from.ts";

/** Maximum number of files in a directory that are examined; a directory may have millions. */
const MOST_FILES = 1000;

/** Maximum number of copies that are named: those with the most levels. */
const NAMED = 3;

/** Maximum number of other databases that are opened. */
const MOST_DATABASES = 20;

/**
 * Databases in the directory of a database, and in that of the backups, which have a level for some of its rows.
 *
 * @param database Path that is read: the database, or a private copy of it.
 * @param path Path that the operator knows.
 * @param rows The table without levels.
 */
export async function levelCopiesOf(
  { database, path, rows }: { database: string; path: string; rows: MetricsTable },
  run: HasSettings & Workers,
): Promise<MissingLevels["files"]> {
  const directories = new Set([dirname(path), ...(run.settings.backupDir === null ? [] : [run.settings.backupDir])]);
  const files = [...directories].flatMap((directory) => databasesIn(directory, path)).slice(0, MOST_DATABASES);
  const found: MissingLevels["files"] = [];
  for (const file of files) {
    const known = await levelsIn(file, database, rows, run);
    if (known > 0) found.push({ path: file, rows: known });
  }
  return found.toSorted((one, other) => other.rows - one.rows).slice(0, NAMED);
}

function databasesIn(directory: string, path: string): string[] {
  const found: string[] = [];
  let seen = 0;
  for (const entry of entriesIn(directory)) {
    seen += 1;
    if (seen > MOST_FILES) break;
    const file = join(directory, entry.name);
    if (entry.isFile() && file !== path && headerOf(file) !== undefined) found.push(file);
  }
  return found.toSorted();
}

/** Number of rows for which a file has a level; 0 for an unreadable one. */
async function levelsIn(
  file: string,
  database: string,
  rows: MetricsTable,
  run: HasSettings & Workers,
): Promise<number> {
  try {
    return await whileReadable(file, run, async (place) =>
      withReadable({ path: place }, file, run, (connection) => {
        const table = interactionsWithLevels(connection, "main");
        // Assumed levels, as in the backup of a downgrade, are not those that were lost.
        if (table === undefined || hasOwn(connection, ASSUMED_LEVELS)) return 0;
        connection.prepare("ATTACH ? AS backup").run(database);
        return countFrom(connection, `(${levelsInTable(table, rows, "backup", "main")})`);
      }),
    );
  } catch (error) {
    const { code } = error as { code?: string };
    if (error instanceof Stop && error.status === "interrupted") throw error;
    if (error instanceof Stop || isPerduraError(error) || code?.startsWith("SQLITE_") === true) return 0;
    throw error;
  }
}
