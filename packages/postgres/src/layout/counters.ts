import type { Connection, Session } from "../connection/connection.ts";
import { isTaken } from "../connection/failures.ts";
import { type Names, quoteText } from "./names.ts";

/** Others may add rows with ids of their own meanwhile. */
const MOST_TRIES = 5;

/**
 * Does a task that takes ids from counters. Where an id is taken, the counters are behind their tables: rows came with ids of
 * their own, or by replication, which brings no counters. They are put right, and the task, which has done nothing, begins
 * again.
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
      if (!isTaken(error) || tries >= MOST_TRIES) throw error;
      await connection.transaction("write", (session) => putCountersRight(session, names, connection.place));
    }
  }
}

/** Lets the counters go on above the highest id of their tables, and says so in a warning. */
export async function putCountersRight(session: Session, names: Names, place: string): Promise<void> {
  await session.query(
    `SELECT pg_advisory_xact_lock(hashtextextended(${quoteText(`perdura counters ${names.schema}`)}, 0))`,
  );
  for (const table of [names.interactions, names.patternUsage]) {
    const [put] = await session.query<{ behind: string; highest: string }>(
      `SELECT last::text AS behind, setval(counter, greatest(nextval(counter), highest))::text AS highest
       FROM (SELECT counter, coalesce(pg_sequence_last_value(counter), 0) AS last,
               (SELECT coalesce(max(id), 0) FROM ${table}) AS highest
             FROM pg_get_serial_sequence($1, 'id') AS found (name), LATERAL (SELECT name::regclass) AS given (counter)) AS state
       WHERE last < highest`,
      [table],
    );
    if (put === undefined) continue;
    process.emitWarning(
      `${place}: the counter of ${table}.id was at ${put.behind}, below ids of the table; it goes on above ${put.highest}. Rows came with ids of their own, or by replication, which brings no counters.`,
      { type: "PerduraWarning", code: "PERDURA_COUNTER_BEHIND" },
    );
  }
}
