import type { Database, Statement } from "../../sqlite/open_database.ts";
import { countOfLevel, isLevel, MEASURED } from "../aggregates.ts";
import { LEVELS } from "../arguments.ts";
import type { LevelColumn } from "../schema.ts";

/** SQL for the sums of rows, as `perdura_user_rollup` has them; `newest` is the id of the newest row with a level. */
export function sumsOf(levelColumn: LevelColumn): string {
  const time = `CASE WHEN ${MEASURED} THEN response_time_ms END`;
  return `count(*) AS operations, count(CASE WHEN success THEN 1 END) AS successes, count(${time}) AS measured,
    CASE WHEN min(${time}) < 0 THEN NULL ELSE total(${time}) END AS ms,
    ${LEVELS.map((level) => `${countOfLevel(levelColumn, level)} AS level_${level}_count`).join(", ")},
    max(CASE WHEN ${isLevel(levelColumn)} THEN id END) AS newest, min(timestamp) AS first_use, max(timestamp) AS last_use`;
}

/** Columns of `perdura_user_rollup` that can be added. */
export const COUNTS: readonly string[] = [
  "operations",
  "successes",
  "measured",
  ...LEVELS.map((level) => `level_${level}_count`),
];

/** Sums over all users, or the change of these sums. */
export interface Totals {
  operations: number;
  successes: number;
  users: number;
}

/** Updates the rollup from the rows. The caller holds a write transaction around each call. */
export interface Folding {
  /** Computes the sums of one stale user again; false if no user is stale. */
  refreshOne(): boolean;
  /** Folds the next rows; false if all are folded. */
  foldPiece(rows: number): boolean;
}

export function prepareFolding(database: Database, levelColumn: LevelColumn): Folding {
  const store = (where: string): string => `INSERT INTO perdura_user_rollup
      SELECT user_id, operations, successes, measured, ms, 0.0, ${LEVELS.map((level) => `level_${level}_count`).join(", ")},
        (SELECT ${levelColumn} FROM interactions WHERE id = newest), first_use, last_use
      FROM (SELECT user_id, ${sumsOf(levelColumn)} FROM interactions WHERE ${where} GROUP BY user_id) AS piece WHERE true`;
  const piece = "id > (SELECT watermark FROM perdura_rollup) AND id <= @end";
  const stale = "(SELECT min(user_id) FROM perdura_stale_users)";

  const pieceEnd = database
    .prepare(
      `SELECT max(id) FROM (SELECT id FROM interactions
       WHERE id > (SELECT watermark FROM perdura_rollup) ORDER BY id LIMIT ?)`,
    )
    .pluck()
    // Ids may be any 64-bit integer.
    .safeIntegers() as Statement<[number], bigint | null>;
  const pieceTotals = database.prepare(newTotals(piece)) as Statement<[{ end: bigint }], Totals>;
  const addPiece = database.prepare(`${store(piece)} ${ADD_TO_USER}`) as Statement<[{ end: bigint }]>;
  const raiseWatermark = database.prepare("UPDATE perdura_rollup SET watermark = @end") as Statement<[{ end: bigint }]>;
  const addTotals = database.prepare(
    "UPDATE perdura_rollup SET operations = operations + @operations, successes = successes + @successes, users = users + @users",
  ) as Statement<[Totals]>;

  const anyStale = database.prepare("SELECT 1 FROM perdura_stale_users LIMIT 1").pluck() as Statement<[], number>;
  const staleTotals = database.prepare(
    `SELECT coalesce(sum(operations), 0) AS operations, coalesce(sum(successes), 0) AS successes, count(*) AS users
     FROM perdura_user_rollup WHERE user_id = ${stale}`,
  ) as Statement<[], Totals>;
  const forget = database.prepare(`DELETE FROM perdura_user_rollup WHERE user_id = ${stale}`);
  const compute = database.prepare(store(`user_id = ${stale} AND id <= (SELECT watermark FROM perdura_rollup)`));
  const unmark = database.prepare(`DELETE FROM perdura_stale_users WHERE user_id = ${stale}`);

  return {
    refreshOne: () => {
      if (anyStale.get() === undefined) return false;
      const before = staleTotals.get() as Totals;
      forget.run();
      compute.run();
      const after = staleTotals.get() as Totals;
      unmark.run();
      addTotals.run({
        operations: after.operations - before.operations,
        successes: after.successes - before.successes,
        users: after.users - before.users,
      });
      return true;
    },
    foldPiece: (rows) => {
      const end = pieceEnd.get(rows) ?? null;
      if (end === null) return false;
      addTotals.run(pieceTotals.get({ end }) as Totals);
      addPiece.run({ end });
      raiseWatermark.run({ end });
      return true;
    },
  };
}

/** SQL for the sums that rows which are not folded add to the totals of all users. */
export function newTotals(where: string): string {
  return `SELECT count(*) AS operations, count(CASE WHEN success THEN 1 END) AS successes,
      count(DISTINCT CASE WHEN NOT EXISTS (SELECT 1 FROM perdura_user_rollup AS known WHERE known.user_id = interactions.user_id)
        THEN user_id END) AS users
    FROM interactions WHERE ${where}`;
}

const SUM = "(ms + excluded.ms)";

/** Rounding error of the sum of two numbers that are not negative; exact (Knuth's two-sum). */
const ROUNDED_AWAY = `((ms - (${SUM} - (${SUM} - ms))) + (excluded.ms - (${SUM} - ms)))`;

/**
 * Adds sums to those of a user. If two times are equal but spelled differently, that of the older row is kept, as in a
 * count of all rows.
 */
const ADD_TO_USER = `ON CONFLICT (user_id) DO UPDATE SET
  ${COUNTS.map((count) => `${count} = ${count} + excluded.${count}`).join(", ")},
  ms = ${SUM}, ms_lost = ms_lost + ${ROUNDED_AWAY},
  current_level = coalesce(excluded.current_level, current_level),
  first_use = coalesce(min(excluded.first_use, first_use), excluded.first_use, first_use),
  last_use = coalesce(max(last_use, excluded.last_use), excluded.last_use, last_use)`;
