import { StorageError } from "@perdura/internals/errors/errors.js";
import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import type { Connection, Session } from "../connection/connection.ts";
import { isUniqueViolation, mayBeUniqueViolation } from "../connection/failures.ts";
import { type Names } from "./names.ts";

/** Maximum number of attempts: other sessions may insert rows with explicit ids in the meantime. */
const MOST_TRIES = 5;

/**
 * Runs a task that takes ids from sequences. If an id exists already, a sequence is behind its table: rows were
 * inserted with explicit ids, or by replication, which does not copy sequences. Then the sequences are advanced, and
 * the task, which has changed nothing, runs again.
 */
export async function withCounters<Result>(
  connection: Connection,
  names: Names,
  task: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await task();
    } catch (error) {
      if (!mayBeUniqueViolation(error) || tries >= MOST_TRIES) throw error;
      const isAdvanced = await connection.transaction("write", (session) =>
        advanceCounters(session, names, connection.place),
      );
      if (!isAdvanced && !isUniqueViolation(error)) throw error;
    }
  }
}

/**
 * Advances sequences that are behind to the highest id of their tables, or to their own end, and emits a warning.
 *
 * @returns True if a sequence was behind.
 * @throws StorageError if the role may not change a sequence that is behind.
 */
export async function advanceCounters(session: Session, names: Names, place: string): Promise<boolean> {
  let isAdvanced = false;
  await session.query(
    `SELECT pg_advisory_xact_lock(hashtextextended(${sqlText(`perdura counters ${names.schema}`)}, 0))`,
  );
  for (const table of [names.interactions, names.patternUsage]) {
    // Citus supports no subquery with a value of the outer query here.
    const [ids] = await session.query<{ highest: string | null }>(`SELECT max(id)::text AS highest FROM ${table}`);
    if (typeof ids?.highest !== "string") continue;
    const [behind] = await session.query<{ counter: string; highest: string; permitted: boolean }>(
      `SELECT counter, highest::text AS highest, has_sequence_privilege(counter, 'UPDATE') AS permitted
       FROM (SELECT counter, least($2::bigint, seqmax) AS highest
         FROM pg_get_serial_sequence($1, 'id') AS counter JOIN pg_sequence ON seqrelid = counter::regclass) AS state
       WHERE has_sequence_privilege(counter, 'USAGE, UPDATE') AND nextval(counter) < highest`,
      [table, ids.highest],
    );
    if (behind === undefined) continue;
    const { counter, highest, permitted } = behind;
    const what = `the sequence of ${table}.id is behind the ids in the table: rows were inserted with explicit ids, or by logical replication, which does not copy sequences.`;
    if (!permitted)
      throw new StorageError(
        `${what} The role may not change the sequence. Its owner can run: SELECT setval(${sqlText(counter)}, ${highest}). Nothing was written.`,
        { path: place },
      );
    // Other sessions may have taken numbers in the meantime.
    await session.query("SELECT setval($1::text::regclass, greatest(nextval($1::text::regclass), $2::bigint))", [
      counter,
      highest,
    ]);
    isAdvanced = true;
    process.emitWarning(`${place}: ${what} It continues after ${highest}.`, {
      type: "PerduraWarning",
      code: "PERDURA_COUNTER_BEHIND",
    });
  }
  return isAdvanced;
}
