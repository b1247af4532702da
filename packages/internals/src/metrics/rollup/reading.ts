import type { Database, Statement } from "../../sqlite/open_database.ts";
import type { LevelColumn } from "../schema.ts";
import type { GlobalStats, UserStats } from "../stats.ts";
import { COUNTS, newTotals, sumsOf, type Totals } from "./fold.ts";

/** What the rollup says of one user, and of itself. */
export interface UserLook extends UserSums {
  /** How far the highest id is beyond the watermark; null without rows. */
  behind: number | null;
  stale: 0 | 1;
  /** A row with the id -1 may have come unseen; see `objects.ts`. */
  unseen: 0 | 1;
}

/** A user's row of the rollup; all is null for a user without one. */
interface UserSums {
  operations: number | null;
  successes: number | null;
  measured: number | null;
  ms: number | null;
  level_1_count: number | null;
  level_2_count: number | null;
  level_3_count: number | null;
  level_4_count: number | null;
  level_5_count: number | null;
  current_level: number | null;
  first_use: string | null;
  last_use: string | null;
}

/** What the rollup says of itself when asked about all users. */
export interface GlobalLook {
  behind: number | null;
  unseen: 0 | 1;
  operations: number;
}

/** Questions to the rollup and to the rows above the watermark. The caller holds a transaction around them. */
export interface Reading {
  lookAtUser(userId: string): UserLook;
  lookAtAll(): GlobalLook;
  /** How many stale users there are and how many folded rows they have, together; counts no further than `most` users. */
  staleWork(most: number): number;
  /** From the rollup alone; undefined where only all rows tell the mean. */
  user(look: UserSums): UserStats | undefined;
  /** From the rollup and the rows above the watermark. */
  userWithTail(userId: string): UserStats | undefined;
  global(): GlobalStats;
  users(): string[];
}

const BEHIND = "(SELECT max(id) FROM interactions) - state.watermark AS behind";
const UNSEEN = "EXISTS (SELECT 1 FROM interactions WHERE id = -1) AS unseen";
const TAIL = "id > (SELECT watermark FROM perdura_rollup)";

export function prepareReading(database: Database, levelColumn: LevelColumn): Reading {
  const look = database.prepare(
    `SELECT ${BEHIND}, ${UNSEEN}, EXISTS (SELECT 1 FROM perdura_stale_users WHERE user_id = @user) AS stale,
       ${COUNTS.map((count) => `known.${count}`).join(", ")}, ms + ms_lost AS ms, current_level, CAST(first_use AS TEXT) AS first_use, CAST(last_use AS TEXT) AS last_use
     FROM perdura_rollup AS state LEFT JOIN perdura_user_rollup AS known ON known.user_id = @user`,
  ) as Statement<[{ user: string }], UserLook>;
  const lookAtAll = database.prepare(
    `SELECT ${BEHIND}, ${UNSEEN}, operations FROM perdura_rollup AS state`,
  ) as Statement<[], GlobalLook>;
  const staleWork = database
    .prepare(
      `SELECT count(*) + coalesce(sum(operations), 0) FROM (SELECT operations FROM perdura_stale_users AS stale
       LEFT JOIN perdura_user_rollup AS known ON known.user_id = stale.user_id LIMIT ?)`,
    )
    .pluck() as Statement<[number], number>;
  const withTail = database.prepare(withTailQuery(levelColumn)) as Statement<[{ user: string }], UserSums>;
  const global = database.prepare(GLOBAL) as Statement<[], Totals>;
  const users = database.prepare(USERS).pluck() as Statement<[], string>;
  return {
    lookAtUser: (user) => look.get({ user }) as UserLook,
    lookAtAll: () => lookAtAll.get() as GlobalLook,
    staleWork: (most) => staleWork.get(most) as number,
    user: userStats,
    userWithTail: (user) => userStats(withTail.get({ user }) as UserSums),
    global: () => {
      const { operations, successes, users: total } = global.get() as Totals;
      return { total_users: total, total_interactions: operations, success_rate: rate(successes, operations) };
    },
    users: () => [...new Set(users.all())],
  };
}

function withTailQuery(levelColumn: LevelColumn): string {
  const sum = (count: string): string => `coalesce(known.${count}, 0) + tail.${count} AS ${count}`;
  return `SELECT ${COUNTS.map(sum).join(", ")},
      CASE WHEN known.user_id IS NULL THEN tail.ms ELSE known.ms + known.ms_lost + tail.ms END AS ms,
      coalesce((SELECT ${levelColumn} FROM interactions WHERE id = newest), known.current_level) AS current_level,
      CAST(coalesce(min(tail.first_use, known.first_use), tail.first_use, known.first_use) AS TEXT) AS first_use,
      CAST(coalesce(max(known.last_use, tail.last_use), tail.last_use, known.last_use) AS TEXT) AS last_use
    FROM (SELECT ${sumsOf(levelColumn)} FROM interactions WHERE user_id = @user AND ${TAIL}) AS tail
    LEFT JOIN perdura_user_rollup AS known ON known.user_id = @user`;
}

/** Rows of stale users: all of them are counted, and what the rollup says of those users is taken off. */
const STALE_ROWS = "perdura_stale_users AS stale CROSS JOIN interactions ON interactions.user_id = stale.user_id";
const NOT_STALE = "NOT EXISTS (SELECT 1 FROM perdura_stale_users AS stale WHERE stale.user_id = interactions.user_id)";

const GLOBAL = `SELECT sum(operations) AS operations, sum(successes) AS successes, sum(users) AS users FROM (
    SELECT operations, successes, users FROM perdura_rollup
    UNION ALL ${newTotals(`${TAIL} AND ${NOT_STALE}`)}
    UNION ALL SELECT -coalesce(sum(operations), 0), -coalesce(sum(successes), 0), -count(*)
      FROM perdura_user_rollup WHERE user_id IN (SELECT user_id FROM perdura_stale_users)
    UNION ALL SELECT count(*), count(CASE WHEN success THEN 1 END), count(DISTINCT interactions.user_id) FROM ${STALE_ROWS})`;

/** In the order of code points, as without the rollup (ruling U-users-order). */
const USERS = `SELECT CAST(user_id AS TEXT) FROM perdura_user_rollup
      WHERE user_id NOT IN (SELECT user_id FROM perdura_stale_users)
    UNION SELECT CAST(user_id AS TEXT) FROM interactions WHERE ${TAIL}
    UNION SELECT CAST(interactions.user_id AS TEXT) FROM ${STALE_ROWS}
    ORDER BY 1`;

/** With the keys in the order of the answers from all rows. */
function userStats(sums: UserSums): UserStats | undefined {
  const { operations, ms, measured, current_level } = sums;
  if (operations !== null && (ms === null || !Number.isFinite(ms))) return undefined;
  return {
    total_operations: operations ?? 0,
    success_rate: rate(sums.successes, operations),
    avg_response_time_ms: rate(ms, measured),
    level_1_count: sums.level_1_count ?? 0,
    level_2_count: sums.level_2_count ?? 0,
    level_3_count: sums.level_3_count ?? 0,
    level_4_count: sums.level_4_count ?? 0,
    level_5_count: sums.level_5_count ?? 0,
    ...(current_level === null ? undefined : { current_level }),
    first_use: sums.first_use,
    last_use: sums.last_use,
  };
}

function rate(sum: number | null, count: number | null): number {
  return count === null || count === 0 ? 0 : (sum ?? 0) / count;
}
