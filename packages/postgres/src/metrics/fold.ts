import type { Connection, Session } from "../connection/connection.ts";
import { isBusy, isCancelled, isRolledBack, isUnwritable } from "../connection/failures.ts";
import type { Names } from "../layout/names.ts";
import { quoteText } from "../layout/names.ts";
import { rederiveIfUntrusted } from "../layout/set_up.ts";
import { addSums, removeStaleSums } from "./fold_sums.ts";

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
    if (!(await rederiveIfUntrusted(connection, names))) return;
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
     FROM ${names.rollup} WHERE ${names.sumsValid}()`,
  );
  if (state === undefined) return false;
  const { watermark, horizon } = state;
  await recountStaleUsers(session, names);
  if (BigInt(horizon) <= BigInt(watermark)) return false;
  const end = await endOfPiece(session, names, [watermark, horizon], rowsAtOnce);
  const piece = ["recorded_by >= $1::bigint AND recorded_by < $2::bigint", "$2::bigint"] as const;
  const isAdded = await addSums(session, names, [...piece], [watermark, end ?? horizon]);
  return isAdded && end !== undefined;
}

/** Name of the lock that is held while the sums are changed. */
export const foldLock = (names: Names): string => `perdura sums ${names.schema}`;

/** Deletes the sums of stale users and computes them again from their rows below the watermark. */
export async function recountStaleUsers(session: Session, names: Names): Promise<void> {
  const stale = `SELECT user_id FROM ${names.staleUsers}`;
  const [any] = await session.query(`${stale} LIMIT 1`);
  if (any === undefined) return;
  await removeStaleSums(session, names);
  const watermark = `(SELECT watermark FROM ${names.rollup})`;
  await addSums(session, names, [`user_id IN (${stale}) AND recorded_by < ${watermark}`, watermark], []);
  await session.query(`DELETE FROM ${names.days} WHERE operations = 0`);
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
