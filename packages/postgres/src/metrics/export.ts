import { writeFileAtomicallyInTurn } from "@perdura/internals/files/atomic_write.js";
import { assertDocumentPlace } from "@perdura/internals/files/places.js";
import { exportFormat, type StoredInteraction } from "@perdura/internals/metrics/export_formats.js";
import { type ExportOptions, reporterOf } from "@perdura/internals/metrics/export_progress.js";
import { type Clock, documentTimestamp, readClock, systemClock } from "@perdura/internals/text/timestamps.js";
import type { Connection, Session } from "../connection/connection.ts";
import { cursorRows } from "../connection/cursor_rows.ts";
import { jsonText } from "../layout/column_types.ts";
import type { Tables } from "../layout/set_up.ts";
import { EVERY_ROW } from "./parameters.ts";
import { StatisticsReader } from "./statistics_reader.ts";

/** Parts of a collector that an export needs. */
export interface ExportSource {
  connection: Connection;
  tables: () => Promise<Tables>;
  clock: Clock | undefined;
}

/**
 * Writes all interactions to a file in the format that its extension names (ruling U-export). All rows are read at one
 * moment, in pieces. The file is written completely or not at all.
 *
 * @returns Number of interactions that were written.
 */
export async function exportInteractions(
  source: ExportSource,
  filepath: string,
  options: ExportOptions,
): Promise<number> {
  const write = prepareExport(filepath, options, source.clock);
  const tables = await source.tables();
  const questions = new StatisticsReader(source.connection, tables.names);
  return source.connection.transaction("read", (session) => write(session, tables, questions));
}

/** Writes the file of an export, in a transaction in which all statements see one moment. */
type WriteExport = (session: Session, tables: Tables, questions: StatisticsReader) => Promise<number>;

/**
 * Checks the arguments of an export, before anything is read.
 *
 * @returns A function that writes the file; see {@link exportInteractions}.
 */
export function prepareExport(filepath: string, options: ExportOptions, clock: Clock | undefined): WriteExport {
  const format = exportFormat(filepath);
  assertDocumentPlace("filepath", filepath);
  const report = reporterOf(options);
  const exportedAt = documentTimestamp(readClock(clock ?? systemClock));
  return async (session, tables, questions) => {
    let count = 0;
    await writeFileAtomicallyInTurn(
      filepath,
      async (write) => {
        const writer = format(write, { levelColumn: "level", exportedAt });
        const global = await questions.global(session);
        const total = (): number => global.total_interactions;
        writer.begin(global);
        if (writer.hasUsers)
          for (const userId of await questions.users(session))
            writer.user(userId, await questions.user(userId, session));
        report(count, total);
        for await (const row of interactions(session, tables)) {
          const id = Number(row.id);
          writer.interaction({
            ...row,
            id: Number.isSafeInteger(id) ? id : row.id,
            success: row.success ? 1 : 0,
          });
          count += 1;
          report(count, total);
        }
        writer.end();
      },
      { clean: true },
    );
    return count;
  };
}

/** An interaction with its id as text, which may be beyond 2^53. */
export type ServerInteraction = Omit<StoredInteraction, "success"> & { success: boolean };

/** Reads all interactions with their metadata, in the order of their ids. */
export function interactions(session: Session, { names, isSpread }: Tables): AsyncIterable<ServerInteraction> {
  // Rows of several users may have one id if other programs add them.
  const sameUser = isSpread ? " AND m.user_id = i.user_id" : "";
  return cursorRows<ServerInteraction>(
    session,
    `SELECT i.id::text AS id, i.user_id, i.level::integer, i.success, i.response_time_ms::double precision, i.timestamp,
       ${jsonText("metadata", "m")} AS metadata
     FROM ${names.interactions} AS i LEFT JOIN ${names.interactionMetadata} AS m ON m.interaction_id = i.id${sameUser}
     WHERE ${EVERY_ROW} ORDER BY i.id`,
  );
}
