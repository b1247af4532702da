import { storageErrorOf } from "../files/storage_errors.ts";
import { writeFileAtomically } from "../files/atomic_write.ts";
import { accessOf } from "../files/common_access.ts";
import { assertDocumentPlace } from "../files/places.ts";
import type { Database } from "../sqlite/open_database.ts";
import { type Clock, documentTimestamp, readClock } from "../text/timestamps.ts";
import { HIGHEST_ID } from "../validity/exact_ids.ts";
import { exportFormat, type StoredInteraction } from "./export_formats.ts";
import type { Report } from "./export_progress.ts";
import { metadataText } from "./metadata_sql.ts";
import type { LevelColumn } from "./schema.ts";
import type { StatisticsQueries } from "./statistics.ts";

/** Parts of a collector that an export needs. */
export interface ExportSource {
  database: Database;
  /** Path of the database, for errors. */
  path: string;
  levelColumn: LevelColumn;
  statistics: StatisticsQueries;
  clock: Clock;
  report: Report;
}

/**
 * Writes all interactions to a file in the format that its extension names (ruling U-export). All rows come from one
 * read transaction, one by one. The file is written completely or not at all.
 *
 * @returns Number of interactions that were written.
 */
export function exportInteractions(source: ExportSource, filepath: string): number {
  const format = exportFormat(filepath);
  assertDocumentPlace("filepath", filepath);
  const { levelColumn, statistics, report } = source;
  const exportedAt = documentTimestamp(readClock(source.clock));
  return source.database.transaction(() => {
    let count = 0;
    writeFileAtomically(
      filepath,
      (write) =>
        withDatabaseErrors(source.path, () => {
          const writer = format(write, { levelColumn, exportedAt });
          const global = statistics.global();
          const total = (): number => global.total_interactions;
          writer.begin(global);
          if (writer.hasUsers) for (const userId of statistics.users()) writer.user(userId, statistics.user(userId));
          report(count, total);
          for (const row of interactions(source)) {
            writer.interaction(row);
            count += 1;
            report(count, total);
          }
          writer.end();
        }),
      { clean: true, ...(source.path === ":memory:" ? {} : { access: accessOf([source.path]) }) },
    );
    return count;
  })();
}

/** Attributes errors of SQLite to the database, not to the file that is being written. */
function withDatabaseErrors(path: string, task: () => void): void {
  try {
    task();
  } catch (error) {
    const isOfDatabase = String((error as { code?: unknown } | null)?.code).startsWith("SQLITE_");
    throw isOfDatabase ? storageErrorOf(error, path, "reading") : error;
  }
}

/** An id that a double would round is read as text (ruling U-exact-ids). */
const EXACT_ID = `CASE WHEN i.id BETWEEN -${HIGHEST_ID} AND ${HIGHEST_ID} THEN i.id ELSE CAST(i.id AS TEXT) END`;

function interactions({ database, levelColumn }: ExportSource): Iterable<StoredInteraction> {
  // Joining an empty table takes a tenth of the time of an export.
  const hasMetadata = database.prepare("SELECT 1 FROM interaction_metadata").get() !== undefined;
  const [metadata, join] = hasMetadata
    ? [metadataText("m.metadata"), "LEFT JOIN interaction_metadata AS m ON m.interaction_id = i.id"]
    : ["NULL", ""];
  return database
    .prepare(
      // Every column has its table's name, because a user may have added a column with the name of another table's
      // column.
      `SELECT ${EXACT_ID} AS id, CAST(i.user_id AS TEXT) AS user_id, i.${levelColumn} AS ${levelColumn}, CASE WHEN i.success THEN 1 ELSE 0 END AS success,
         i.response_time_ms AS response_time_ms, i.timestamp AS timestamp, ${metadata} AS metadata
       FROM interactions AS i ${join} ORDER BY i.id`,
    )
    .iterate() as Iterable<StoredInteraction>;
}
