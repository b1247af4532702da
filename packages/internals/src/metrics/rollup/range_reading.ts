import type { Database, Statement } from "../../sqlite/open_database.ts";
import { isLevel } from "../aggregates.ts";
import { type DaysRead, daysRead, MIDNIGHT } from "../days_read.ts";
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

/**
 * The ids that rows of the range can have lead to the newest level. They lead to the first and last time, too, if the
 * sums of a day do not tell it.
 */
function userSql(levelColumn: LevelColumn): string {
  const parts = partsSql({ bucket: "day", levelColumn, table: "perdura_user_days", user: OF_USER, also: "times" });
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
  const stored = (time: string, day: string, first: string): string =>
    `(SELECT CASE WHEN count(${time}) = count(*) THEN ${first}(${time}) END FROM parts WHERE period = ${of(day)})`;
  return `WITH parts AS MATERIALIZED (SELECT * FROM (${parts}) WHERE counted), sums AS MATERIALIZED (
      SELECT ${SUMS}, CASE WHEN count(ms) = count(*) THEN total(ms) END AS ms,
        min(period) AS first_day, max(period) AS last_day, min(first_id) AS lowest, max(last_id) AS highest
      FROM parts
    )
    SELECT ${COUNTS.join(", ")}, negative, ms,
      (SELECT ${levelColumn} FROM interactions WHERE ${OF_USER} id BETWEEN ${of("lowest")} AND ${of("highest")}
        AND ${isLevel(levelColumn)} AND ${IN_RANGE} ORDER BY id DESC LIMIT 1) AS current_level,
      coalesce(${stored("first_use", "first_day", "min")}, ${timestampOf("first_day", "")}) AS first_use,
      coalesce(${stored("last_use", "last_day", "max")}, ${timestampOf("last_day", "DESC")}) AS last_use
    FROM sums`;
}

/**
 * True for a user with a stored day among the whole days of the range. The users of days cannot be added; but if a user
 * has days before and after those of the range, which are more than the user's longest gap, then some are between. Only
 * other users are searched for.
 */
const HAS_WHOLE_DAY = `CASE
        WHEN first_day IS NULL OR last_day < first OR first_day >= after OR first >= after THEN false
        WHEN first_day >= first OR last_day < after OR longest_gap <= after - first THEN true
        ELSE EXISTS (SELECT 1 FROM perdura_user_days AS days WHERE days.user_id = known.user_id
          AND day >= substr(@since, 1, 10) AND ${IS_COUNTED_DAY} AND ${IS_WHOLE_DAY}) END`;

/** A user counts with a whole day in the range or with a row of it. */
function globalSql(levelColumn: LevelColumn): string {
  const days = { table: "perdura_days", user: "" } as const;
  const parts = partsSql({ bucket: "day", levelColumn, ...days });
  const usersOfRows = (condition: string): string => `SELECT user_id FROM ${BY_ID} WHERE ${condition} AND ${IN_RANGE}`;
  const known = `perdura_user_rollup AS known, whole WHERE ${HAS_WHOLE_DAY}`;
  return `WITH whole AS MATERIALIZED (
      SELECT unixepoch(substr(@since, 1, 10)) / 86400 + (substr(@since, 11) <> '${MIDNIGHT}') AS first,
        unixepoch(substr(@until, 1, 10)) / 86400 AS after
    ), others AS MATERIALIZED (
      ${[rowsOfDays(days, 1), rowsOfDays(days, 2), TAIL].map(usersOfRows).join(" UNION ")}
    )
    SELECT coalesce(sum(operations), 0) AS operations, coalesce(sum(successes), 0) AS successes,
      (SELECT count(*) FROM ${known}) + (SELECT count(*) FROM others
        WHERE NOT EXISTS (SELECT 1 FROM ${known} AND known.user_id = others.user_id)) AS users
    FROM (${parts}) WHERE counted`;
}
