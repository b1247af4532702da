import type { Connection, Session } from "../connection/connection.ts";
import { isBusy, isCancelled, isUndone, isUnwritable } from "../connection/failures.ts";
import type { Names } from "../layout/names.ts";
import { quoteText } from "../layout/names.ts";
import { rederiveIfUnnoticed } from "../layout/set_up.ts";
import { COUNTS, currentLevel, SUMS } from "./sums.ts";

/** About this many rows are added in one transaction: an interrupted transaction of minutes would have to start again. */
const ROWS_AT_ONCE = 1_000_000;
/** Fewer rows would not pay. */
const FEWEST_ROWS = 1000;

/**
 * Updates the sums: adds the rows of ended transactions, and recounts users whose rows were changed. Recording continues
 * meanwhile. It does nothing while another program folds, or if nothing can be written: questions are answered without it.
 */
export async function fold(connection: Connection, names: Names, rowsAtOnce: number = ROWS_AT_ONCE): Promise<void> {
  try {
    await rederiveIfUnnoticed(connection, names);
    while (await connection.transaction("moment", (session) => foldAtOneMoment(session, names, rowsAtOnce)));
  } catch (error) {
    // The server may not let a statement take as long.
    if (isCancelled(error) && rowsAtOnce > FEWEST_ROWS) return fold(connection, names, Math.ceil(rowsAtOnce / 10));
    if (![isUndone, isUnwritable, isBusy, isCancelled].some((allowed) => allowed(error))) throw error;
  }
}

/** @returns Whether there is more. */
async function foldAtOneMoment(session: Session, names: Names, rowsAtOnce: number): Promise<boolean> {
  const [lock] = await session.query<{ ours: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended(${quoteText(foldLock(names))}, 0)) AS ours`,
  );
  if (lock?.ours !== true) return false;
  const [state] = await session.query<Record<"watermark" | "horizon", string>>(
    `SELECT watermark::text AS watermark, pg_snapshot_xmin(pg_current_snapshot())::text AS horizon
     FROM ${names.rollup} WHERE ${names.noticesChanges}()`,
  );
  if (state === undefined) return false;
  const { watermark, horizon } = state;
  await recountStaleUsers(session, names);
  if (BigInt(horizon) <= BigInt(watermark)) return false;
  const end = await endOfPiece(session, names, [watermark, horizon], rowsAtOnce);
  const isAdded = await addRows(session, names, [watermark, end ?? horizon]);
  return isAdded && end !== undefined;
}

/** Name of the lock that a change of the sums holds. */
export const foldLock = (names: Names): string => `perdura sums ${names.schema}`;

const USER_COLUMNS = ["user_id", ...COUNTS, "newest", "current_level", "first_use", "last_use"].join(", ");

/** SQL for the sums of each user in rows of interactions. */
export function sumsOfUsers(names: Names, condition: string): string {
  return `SELECT sums.*, ${currentLevel(names, "sums.user_id", "sums.newest")} AS current_level
      FROM (SELECT user_id, ${SUMS} FROM ${names.interactions} WHERE ${condition} GROUP BY user_id) AS sums`;
}

/** Deletes the sums of stale users and computes them again from their rows below the watermark. */
export async function recountStaleUsers(session: Session, names: Names): Promise<void> {
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
       INSERT INTO ${names.userRollup} (${USER_COLUMNS}) SELECT ${USER_COLUMNS} FROM (${sumsOfUsers(
         names,
         `user_id IN (${stale}) AND recorded_by < (SELECT watermark FROM ${names.rollup})`,
       )}) AS counted RETURNING operations, successes
     ), total AS (
       SELECT coalesce(sum(operations), 0) AS operations, coalesce(sum(successes), 0) AS successes, count(*) AS users FROM fresh
     )
     UPDATE ${names.rollup} AS rollup SET operations = rollup.operations + total.operations,
       successes = rollup.successes + total.successes, users = rollup.users + total.users FROM total`,
  );
  await session.query(`DELETE FROM ${names.staleUsers}`);
}

/** Numbers of transactions that are over, from the first on and below the second: below the lowest that is still at work. */
type Numbers = [watermark: string, horizon: string];

/** The transaction number at which about this many rows are added; undefined if there are fewer. */
async function endOfPiece(session: Session, names: Names, numbers: Numbers, rows: number): Promise<string | undefined> {
  // All rows of one transaction have one number; the first transaction is always a whole piece.
  const [found] = await session.query<{ end: string }>(
    `SELECT greatest(recorded_by, $1::bigint + 1)::text AS end FROM ${names.interactions}
     WHERE recorded_by >= $1::bigint AND recorded_by < $2::bigint ORDER BY recorded_by OFFSET ${rows} LIMIT 1`,
    numbers,
  );
  return found?.end;
}

/** @returns False for a role that runs as replication does, from which the sums are kept. */
async function addRows(session: Session, names: Names, numbers: Numbers): Promise<boolean> {
  const updated = await session.query(
    `WITH piece AS (
       ${sumsOfUsers(names, "recorded_by >= $1::bigint AND recorded_by < $2::bigint")}
     ), fresh AS (
       SELECT count(*) AS users FROM piece
       WHERE NOT EXISTS (
         SELECT 1 FROM ${names.userRollup} AS known WHERE known.user_id = piece.user_id)
     ), stored AS (
       INSERT INTO ${names.userRollup} AS known (${USER_COLUMNS}) SELECT ${USER_COLUMNS} FROM piece
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
     FROM fresh, (SELECT coalesce(sum(operations), 0) AS operations, coalesce(sum(successes), 0) AS successes FROM piece) AS total
     RETURNING 1`,
    numbers,
  );
  return updated.length > 0;
}
