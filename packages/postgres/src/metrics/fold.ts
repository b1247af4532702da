import type { Connection, Session } from "../connection/connection.ts";
import { isUndone } from "../connection/failures.ts";
import type { Names } from "../layout/names.ts";
import { quoteText } from "../layout/names.ts";
import { COUNTS, SUMS } from "./sums.ts";

/**
 * Brings the sums nearer to the rows: adds the rows of transactions that are over, and counts users anew whose rows were
 * changed. Recording goes on meanwhile. Where another program is at it, or nothing may be written, it does nothing: each
 * question has its answer without it.
 */
export async function fold(connection: Connection, names: Names): Promise<void> {
  try {
    await connection.transaction("moment", (session) => foldAtOneMoment(session, names));
  } catch (error) {
    if (!isUndone(error) && !isUnwritable(error)) throw error;
  }
}

/** No privilege, a server that only reads, or a full disk. */
function isUnwritable(error: unknown): boolean {
  return ["42501", "25006", "53100"].includes(String((error as { code?: unknown } | null)?.code));
}

async function foldAtOneMoment(session: Session, names: Names): Promise<void> {
  const [lock] = await session.query<{ ours: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended(${quoteText(`perdura sums ${names.schema}`)}, 0)) AS ours`,
  );
  if (lock?.ours !== true) return;
  await countStaleUsersAnew(session, names);
  await addRows(session, names);
}

const USER_COLUMNS = ["user_id", ...COUNTS, "newest", "current_level", "first_use", "last_use"];

/** All that is known of stale users goes, and comes anew from their rows below the watermark. */
async function countStaleUsersAnew(session: Session, names: Names): Promise<void> {
  const stale = `SELECT user_id FROM ${names.staleUsers}`;
  await session.query(
    `WITH gone AS (
       DELETE FROM ${names.userRollup} WHERE user_id IN (${stale}) RETURNING operations, successes
     ), total AS (
       SELECT coalesce(sum(operations), 0) AS operations, coalesce(sum(successes), 0) AS successes, count(*) AS users FROM gone
     )
     UPDATE ${names.rollup} AS rollup SET operations = rollup.operations - total.operations,
       successes = rollup.successes - total.successes, users = rollup.users - total.users FROM total`,
  );
  await session.query(
    `WITH fresh AS (
       INSERT INTO ${names.userRollup} (${USER_COLUMNS.join(", ")})
       SELECT user_id, ${SUMS} FROM ${names.interactions}
       WHERE user_id IN (${stale}) AND recorded_by < (SELECT watermark FROM ${names.rollup})
       GROUP BY user_id RETURNING operations, successes
     ), total AS (
       SELECT coalesce(sum(operations), 0) AS operations, coalesce(sum(successes), 0) AS successes, count(*) AS users FROM fresh
     )
     UPDATE ${names.rollup} AS rollup SET operations = rollup.operations + total.operations,
       successes = rollup.successes + total.successes, users = rollup.users + total.users FROM total`,
  );
  await session.query(`DELETE FROM ${names.staleUsers}`);
}

/** Rows from the watermark on whose transactions are over: below the lowest number that is still at work. */
async function addRows(session: Session, names: Names): Promise<void> {
  const [horizon] = await session.query<{ horizon: string; watermark: string }>(
    `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon, watermark::text AS watermark FROM ${names.rollup}`,
  );
  if (horizon === undefined || BigInt(horizon.horizon) <= BigInt(horizon.watermark)) return;
  await session.query(
    `WITH piece AS (
       SELECT user_id, ${SUMS} FROM ${names.interactions}
       WHERE recorded_by >= $1::bigint AND recorded_by < $2::bigint GROUP BY user_id
     ), fresh AS (
       SELECT count(*) AS users FROM piece
       WHERE NOT EXISTS (SELECT 1 FROM ${names.userRollup} AS known WHERE known.user_id = piece.user_id)
     ), stored AS (
       INSERT INTO ${names.userRollup} AS known (${USER_COLUMNS.join(", ")})
       SELECT ${USER_COLUMNS.join(", ")} FROM piece
       ON CONFLICT (user_id) DO UPDATE SET
         ${COUNTS.map((count) => `${count} = known.${count} + excluded.${count}`).join(", ")},
         current_level = CASE WHEN excluded.newest > coalesce(known.newest, -9223372036854775808)
           THEN excluded.current_level ELSE known.current_level END,
         newest = greatest(known.newest, excluded.newest),
         first_use = least(known.first_use, excluded.first_use), last_use = greatest(known.last_use, excluded.last_use)
     )
     UPDATE ${names.rollup} AS rollup SET watermark = $2::bigint,
       operations = rollup.operations + total.operations, successes = rollup.successes + total.successes,
       users = rollup.users + fresh.users
     FROM fresh, (SELECT coalesce(sum(operations), 0) AS operations, coalesce(sum(successes), 0) AS successes FROM piece) AS total`,
    [horizon.watermark, horizon.horizon],
  );
}
