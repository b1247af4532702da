import { ValidationError } from "../errors/errors.ts";
import { type Write, writeFileAtomically } from "../files/atomic_write.ts";
import { assertDocumentPlace, assertPath } from "../files/places.ts";
import type { Database } from "../sqlite/open_database.ts";
import { quote } from "../text/describe.ts";
import { type Clock, documentTimestamp, readClock } from "../text/timestamps.ts";
import {
  csvWriter,
  interactionJson,
  type InteractionWriter,
  jsonLinesWriter,
  type StoredInteraction,
} from "./export_formats.ts";
import type { Report } from "./export_progress.ts";
import type { LevelColumn } from "./schema.ts";
import type { StatisticsQueries } from "./stats.ts";

/** What an export needs of a collector. */
export interface ExportSource {
  database: Database;
  levelColumn: LevelColumn;
  statistics: StatisticsQueries;
  clock: Clock;
  report: Report;
}

const FORMATS = { ".json": jsonWriter, ".jsonl": jsonLinesWriter, ".csv": csvWriter } as const;

/**
 * Writes all interactions to a file in the format that its extension names (ruling U-export). Everything comes from one
 * read transaction, row by row; the file appears whole or not at all.
 *
 * @returns The number of interactions written.
 */
export function exportInteractions(source: ExportSource, filepath: string): number {
  assertPath("filepath", filepath);
  const extension = /\.[^./\\]*$/.exec(filepath)?.[0].toLowerCase() ?? "";
  const format = Object.hasOwn(FORMATS, extension) ? FORMATS[extension as keyof typeof FORMATS] : undefined;
  if (format === undefined) {
    throw new ValidationError(
      `filepath: expected a name ending in .json, .jsonl or .csv, got ${quote(filepath)}. Nothing was written.`,
    );
  }
  assertDocumentPlace("filepath", filepath);
  return source.database.transaction(() => {
    let count = 0;
    writeFileAtomically(
      filepath,
      (write) => {
        const writer = format(write, source);
        writer.begin();
        const total = (): number => source.statistics.global().total_interactions;
        source.report(count, total);
        for (const row of interactions(source)) {
          writer.interaction(row);
          count += 1;
          source.report(count, total);
        }
        writer.end();
      },
      { clean: true },
    );
    return count;
  })();
}

function interactions({ database, levelColumn }: ExportSource): Iterable<StoredInteraction> {
  return database
    .prepare(
      // Every column with its table: a user may have added one that is called like another table's.
      `SELECT i.id AS id, CAST(i.user_id AS TEXT) AS user_id, i.${levelColumn} AS level, CASE WHEN i.success THEN 1 ELSE 0 END AS success,
         i.response_time_ms AS response_time_ms, i.timestamp AS timestamp, m.metadata AS metadata
       FROM interactions AS i LEFT JOIN interaction_metadata AS m ON m.interaction_id = i.id ORDER BY i.id`,
    )
    .iterate() as Iterable<StoredInteraction>;
}

/** One document: `metadata`, `users`, `global`, `interactions`. */
function jsonWriter(write: Write, { statistics, levelColumn, clock }: ExportSource): InteractionWriter {
  let separator = "\n";
  return {
    begin: () => {
      const global = statistics.global();
      const metadata = {
        exported_at: documentTimestamp(readClock(clock)),
        interaction_count: global.total_interactions,
      };
      write(`{\n  "metadata": ${JSON.stringify(metadata)},\n  "users": {`);
      for (const userId of statistics.users()) {
        write(`${separator}    ${JSON.stringify(userId)}: ${JSON.stringify(statistics.user(userId))}`);
        separator = ",\n";
      }
      write(`${separator === "\n" ? "" : "\n  "}},\n  "global": ${JSON.stringify(global)},\n  "interactions": [`);
      separator = "\n";
    },
    interaction: (row) => {
      write(`${separator}    ${interactionJson(row, levelColumn)}`);
      separator = ",\n";
    },
    end: () => write(`${separator === "\n" ? "" : "\n  "}]\n}\n`),
  };
}
