import type { Database, Statement } from "../../sqlite/open_database.ts";
import { isLevel } from "../aggregates.ts";
import { type DaysRead, daysRead } from "../days_read.ts";
import type { LevelColumn } from "../schema.ts";
import type { GlobalStats, UserStats } from "../stats.ts";
import type { Range } from "../time_range.ts";
import { MOMENT } from "../trends/time_sql.ts";
import { rate, type UserCounts, userStats } from "../user_stats.ts";
import { IS_COUNTED_DAY, IS_WHOLE_DAY, OF_USER, partsSql, rowsOfDays } from "./parts_sql.ts";
import { BY_ID, TAIL } from "./reading_sql.ts";
import { COUNTS } from "./sums_sql.ts";

/** Statistics of a range from the sums of days and the rows above the watermark. The caller holds a transaction. */
export interface RangeReading {
  /** Undefined if only all rows can give the mean. The user is not stale. */
  user(userId: string, range: Range): UserStats | undefined;
  /** No user is stale. */
  global(range: Range): GlobalStats;
}

interface UserSums extends UserCounts {
  measured: number;
  negative: number;
  /** Null if a sum is beyond the range of a double. */
  ms: number | null;
}

interface GlobalSums {
  operations: number;
  successes: number;
  users: number;
}

export function prepareRangeReading(database: Database, levelColumn: LevelColumn): RangeReading {
  const user = database.prepare(userSql(levelColumn)) as Statement<[DaysRead & { user: string }], UserSums>;
  const global = database.prepare(globalSql(levelColumn)) as Statement<[DaysRead], GlobalSums>;
  return {
    user: (userId, range) => {
      const sums = user.get({ user: userId, ...daysRead(range) }) as UserSums;
      const { ms, measured, negative } = sums;
      // A sum with cancellation is only correct if all rows are added at once.
      if (negative > 0 || ms === null || !Number.isFinite(ms)) return undefined;
      return userStats(sums, rate(ms, measured));
    },
    global: (range) => {
      const { operations, successes, users } = global.get(daysRead(range)) as GlobalSums;
      return { total_users: users, total_interactions: operations, success_rate: rate(successes, operations) };
    },
  };
}

const IN_RANGE = `${MOMENT} >= @since AND ${MOMENT} < @until`;

const SUMS = [...COUNTS, "negative"].map((count) => `coalesce(sum(${count}), 0) AS ${count}`).join(", ");

/** The first and last day with rows and the ids that its rows can have lead to the rows that a sum does not tell. */
function userSql(levelColumn: LevelColumn): string {
  const parts = partsSql({ bucket: "day", levelColumn, table: "perdura_user_days", user: OF_USER, trust: false });
  const of = (name: string): string => `(SELECT ${name} FROM sums)`;
  const idOfDay = (id: string, day: string): string =>
    `(SELECT ${id} FROM perdura_user_days WHERE ${OF_USER} day = ${of(day)})`;
  const candidates = (condition: string): string =>
    // Without the limit, SQLite would compute the moment of each row three times.
    `SELECT * FROM (SELECT id, timestamp, ${MOMENT} AS moment FROM interactions WHERE ${OF_USER} ${condition} LIMIT -1)
        WHERE moment >= @since AND moment < @until`;
  const timestampOf = (day: string, order: string): string => `(SELECT CAST(timestamp AS TEXT) FROM (
        ${candidates(`id BETWEEN ${idOfDay("first_id", day)} AND ${idOfDay("last_id", day)}`)}
        UNION ALL ${candidates(TAIL)}
      ) ORDER BY moment ${order}, id ${order} LIMIT 1)`;
  return `WITH sums AS MATERIALIZED (
      SELECT ${SUMS}, CASE WHEN count(ms) = count(*) THEN total(ms) END AS ms,
        min(period) AS first_day, max(period) AS last_day, min(first_id) AS lowest, max(last_id) AS highest
      FROM (${parts}) WHERE counted
    )
    SELECT ${COUNTS.join(", ")}, negative, ms,
      (SELECT ${levelColumn} FROM interactions WHERE ${OF_USER} id BETWEEN ${of("lowest")} AND ${of("highest")}
        AND ${isLevel(levelColumn)} AND ${IN_RANGE} ORDER BY id DESC LIMIT 1) AS current_level,
      ${timestampOf("first_day", "")} AS first_use, ${timestampOf("last_day", "DESC")} AS last_use
    FROM sums`;
}

/**
 * A user counts with a whole day in the range or with a row of it. One search for each user that exists: the users of
 * days cannot be added.
 */
function globalSql(levelColumn: LevelColumn): string {
  const days = { table: "perdura_days", user: "" } as const;
  const parts = partsSql({ bucket: "day", levelColumn, trust: false, ...days });
  const usersOfRows = (condition: string): string =>
    `UNION SELECT user_id FROM ${BY_ID} WHERE ${condition} AND ${IN_RANGE}`;
  return `SELECT coalesce(sum(operations), 0) AS operations, coalesce(sum(successes), 0) AS successes, (
      SELECT count(*) FROM (
        SELECT user_id FROM perdura_user_rollup AS known WHERE EXISTS (
          SELECT 1 FROM perdura_user_days AS days WHERE days.user_id = known.user_id
            AND day >= substr(@since, 1, 10) AND ${IS_COUNTED_DAY} AND ${IS_WHOLE_DAY})
        ${usersOfRows(rowsOfDays(days, 1))}
        ${usersOfRows(rowsOfDays(days, 2))}
        ${usersOfRows(TAIL)}
      )) AS users
    FROM (${parts}) WHERE counted`;
}
