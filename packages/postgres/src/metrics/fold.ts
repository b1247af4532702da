import type { Connection, Session } from "../connection/connection.ts";
import { isBusy, isCancelled, isRolledBack, isUnwritable } from "../connection/failures.ts";
import type { Names } from "../layout/names.ts";
import { quoteText } from "../layout/names.ts";
import { rederiveIfUntrusted } from "../layout/set_up.ts";
import { COUNTS, currentLevel, SUMS } from "./sums.ts";

/**
 * Approximate number of rows that are added in one transaction. If a longer transaction were interrupted, minutes of
 * work would have to be repeated.
 */
const ROWS_AT_ONCE = 1_000_000;
/** Minimum number of rows in one transaction, below which the overhead is too large. */
const FEWEST_ROWS = 1000;

/**
 * Updates the sums: adds the rows of ended transactions, and recounts users whose rows were changed. Other programs can
 * record during this time. Does nothing if another program folds, or if writing is impossible, because questions can be
 * answered without it.
 */
export async function fold(connection: Connection, names: Names, rowsAtOnce: number = ROWS_AT_ONCE): Promise<void> {
  try {
    await rederiveIfUntrusted(connection, names);
    while (await connection.transaction("moment", (session) => foldAtOneMoment(session, names, rowsAtOnce)));
  } catch (error) {
    // The server's `statement_timeout` may be too short for so many rows.
    if (isCancelled(error) && rowsAtOnce > FEWEST_ROWS) return fold(connection, names, Math.ceil(rowsAtOnce / 10));
    if (![isRolledBack, isUnwritable, isBusy, isCancelled].some((allowed) => allowed(error))) throw error;
  }
}

/** @returns True if more rows remain. */
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

/** Name of the lock that is held while the sums are changed. */
export const foldLock = (names: Names): string => `perdura sums ${names.schema}`;

const USER_COLUMNS = ["user_id", ...COUNTS, "newest", "current_level", "first_use", "last_use"].join(", ");

/** SQL for the sums of each user in a selection of interactions. */
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

/**
 * A range of ended transactions: from `watermark` to below `horizon`, the lowest transaction that may still be running.
 */
type Numbers = [watermark: string, horizon: string];

/** The transaction number before which approximately `rows` rows are added; undefined if there are fewer. */
async function endOfPiece(session: Session, names: Names, numbers: Numbers, rows: number): Promise<string | undefined> {
  // All rows of a transaction have the same number, so the first transaction is always added as a whole.
  const [found] = await session.query<{ end: string }>(
    `SELECT greatest(recorded_by, $1::bigint + 1)::text AS end FROM ${names.interactions}
     WHERE recorded_by >= $1::bigint AND recorded_by < $2::bigint ORDER BY recorded_by OFFSET ${rows} LIMIT 1`,
    numbers,
  );
  return found?.end;
}

/**
 * @returns False if nothing was changed, because the session runs as a replica, whose changes of the sums are
 * discarded.
 */
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
