import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import type { Connection, Session } from "../connection/connection.ts";
import { isBusy, isCancelled, isOutOfSpace, isRolledBack, isUnwritable } from "../connection/failures.ts";
import type { Names } from "../layout/names.ts";
import { horizon } from "../layout/recorded_by.ts";
import { keySumsIn } from "../layout/declare_keys.ts";
import { resetSumsIfInvalid, type Tables } from "../layout/set_up.ts";
import { foldKeys } from "./fold_keys.ts";
import { foldShards } from "./fold_shards.ts";
import { addSums, anyStale, endOfPiece, foldLock, recountStaleUsers } from "../layout/fold_sums.ts";
import { monotonicMs } from "@perdura/internals/runtime/monotonic.js";

/**
 * Approximate number of rows that are added in one transaction. If a longer transaction were interrupted, minutes of
 * work would have to be repeated.
 */
const ROWS_AT_ONCE = 1_000_000;
/**
 * Part of the rows that the sums already contain, which are added in one transaction if they are more. A transaction may
 * read all sums, so transactions of equal size would take quadratic time.
 */
const PART_AT_ONCE = 0.25;
/** Minimum number of rows in one transaction, below which the overhead is too large. */
const FEWEST_ROWS = 1000;

/** Limits of a fold. */
export interface FoldLimits {
  /** Approximate number of rows in one transaction. */
  rowsAtOnce?: number | undefined;
  /** Replaces {@link PART_AT_ONCE}. */
  partAtOnce?: number | undefined;
  /** With distributed tables, only the shard of this user is folded. */
  userId?: string | undefined;
}

/**
 * Updates the sums: adds the rows of ended transactions, and recounts users whose rows were changed. Other programs can
 * record during this time. Does nothing if another program folds, if writing is impossible, or for a role that may not
 * see all rows (docs/rulings.md, row-level security), because questions can be answered without it.
 *
 * @returns False if the server refused it, as it probably will again soon.
 */
export async function fold(connection: Connection, names: Names, limits: FoldLimits = {}): Promise<boolean> {
  const { rowsAtOnce = ROWS_AT_ONCE, partAtOnce = PART_AT_ONCE, userId } = limits;
  try {
    const { mayUseSums, hasKeys, ...tables } = await resetSumsIfInvalid(connection, names);
    if (!mayUseSums) return false;
    if (tables.isDistributed) await foldShards(connection, names, rowsAtOnce, userId);
    else {
      while (
        await connection.transaction("moment", (session) => foldAtOneMoment(session, tables, rowsAtOnce, partAtOnce))
      );
      const foldKeysOnce = async (session: Session): Promise<boolean> =>
        (await beginFold(session, names)) && foldKeys(session, tables, rowsAtOnce);
      if (hasKeys) while (await connection.transaction("moment", foldKeysOnce));
    }
    return true;
  } catch (error) {
    // The server's `statement_timeout` may be too short for so many rows, or the space for temporary files too small.
    if (isCancelled(error) || isOutOfSpace(error)) {
      if (partAtOnce > 0) return fold(connection, names, { userId, rowsAtOnce, partAtOnce: 0 });
      if (rowsAtOnce > FEWEST_ROWS)
        return fold(connection, names, { userId, rowsAtOnce: Math.ceil(rowsAtOnce / 10), partAtOnce: 0 });
    }
    if (isRolledBack(error) || isBusy(error)) return true;
    if ([isUnwritable, isCancelled, isOutOfSpace].some((allowed) => allowed(error))) return false;
    throw error;
  }
}

/** Shortest pause after a fold that the server refused, in milliseconds. */
const SHORTEST_PAUSE_MS = 60_000;
/** Length of the pause as a multiple of the time of the attempt, so that attempts take little of the time of questions. */
const PAUSE_FACTOR = 50;

/** Times of `monotonicMs()` before which questions do not fold. */
const pauses: WeakMap<Connection, number> = new WeakMap();

/**
 * Folds for the next question. After the server refused it (a full disk, a read-only server, a missing privilege, a limit
 * of time), questions are answered from the rows for a while without another attempt.
 */
export async function foldForQuestions(connection: Connection, names: Names, userId?: string): Promise<void> {
  const begin = monotonicMs();
  if (begin < (pauses.get(connection) ?? 0)) return;
  if (await fold(connection, names, { userId })) return;
  const end = monotonicMs();
  pauses.set(connection, end + Math.max(SHORTEST_PAUSE_MS, PAUSE_FACTOR * (end - begin)));
}

/** Begins a transaction that changes the sums; false if another program folds. */
async function beginFold(session: Session, names: Names): Promise<boolean> {
  const [lock] = await session.query<{ ours: boolean }>(
    // If a policy is added from now on, statements fail instead of reading fewer rows.
    `SELECT pg_try_advisory_xact_lock(hashtextextended(${sqlText(foldLock(names))}, 0)) AS ours,
       set_config('row_security', 'off', true)`,
  );
  return lock?.ours === true;
}

/** @returns True if more rows remain. */
async function foldAtOneMoment(
  session: Session,
  tables: Tables,
  rowsAtOnce: number,
  partAtOnce: number,
): Promise<boolean> {
  const { names } = tables;
  if (!(await beginFold(session, names))) return false;
  const [state] = await session.query<{ watermark: string; horizon: string; stale: boolean; operations: string }>(
    `SELECT watermark::text AS watermark, operations::text AS operations, (${horizon(names)})::text AS horizon, ${anyStale(names)} AS stale
     FROM ${names.rollup} WHERE ${names.sumsValid}()`,
  );
  if (state === undefined) return false;
  const { watermark, horizon: end, stale, operations } = state;
  const keys = await keySumsIn(session, tables);
  if (stale) for (const statement of recountStaleUsers(names, keys)) await session.query(statement);
  if (BigInt(end) <= BigInt(watermark)) return false;
  const most = Math.max(rowsAtOnce, Math.floor(Number(operations) * partAtOnce));
  const [piece] = await session.query<{ end: string }>(endOfPiece(names, "$1::bigint", "$2::bigint", most), [
    watermark,
    end,
  ]);
  const added = await session.query(
    `${addSums(names, "recorded_by >= $1::bigint AND recorded_by < $2::bigint", "$2::bigint")} RETURNING 1`,
    [watermark, piece?.end ?? end],
  );
  return added.length > 0 && piece !== undefined;
}
