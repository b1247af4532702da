import type { Database, Statement } from "../../sqlite/open_database.ts";
import { isLevel } from "../aggregates.ts";
import { type DaysRead, daysRead, MIDNIGHT } from "../days_read.ts";
import type { LevelColumn } from "../schema.ts";
import type { GlobalStats, UserStats } from "../stats.ts";
import type { Range } from "../time_range.ts";
import { isBetween, MOMENT } from "../trends/time_sql.ts";
import { rate, type UserCounts, userStats } from "../user_stats.ts";
import type { Totals } from "./folded_piece.ts";
import { IS_COUNTED_DAY, IS_WHOLE_DAY, OF_USER, partsSql, rowsOfDays, rowsOfTail } from "./parts_sql.ts";
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

export function prepareRangeReading(database: Database, levelColumn: LevelColumn): RangeReading {
  const user = database.prepare(userSql(levelColumn)) as Statement<[DaysRead & { user: string }], UserSums>;
  const globalOfRows = database.prepare(GLOBAL_OF_ROWS) as Statement<[DaysRead], Totals>;
  const totals = database.prepare(TOTALS) as Statement<[DaysRead], Omit<Totals, "users">>;
  const countUsers = (sql: string): Statement<[DaysRead], number> => database.prepare(sql).pluck() as typeof hasDays;
  const hasDays = countUsers(`SELECT ${FIRST_DAY} < ${DAY_AFTER}`);
  const usersOfDays = countUsers(`WITH ${WHOLE} SELECT count(*) FROM ${USERS_OF_DAYS}`);
  const allUsers = countUsers("SELECT users FROM perdura_rollup");
  const [othersOfRows, othersOfTail] = [ROWS, ROWS.slice(-1)].map((rows) => countUsers(othersOf(rows))) as [
    typeof hasDays,
    typeof hasDays,
  ];
  const global = (days: DaysRead): Totals => {
    if (hasDays.get(days) === 0) return globalOfRows.get(days) as Totals;
    const users = usersOfDays.get(days) as number;
    // Often all users have a whole day, and the rows of divided days add none.
    const others = users < (allUsers.get(days) as number) ? othersOfRows : othersOfTail;
    return { ...(totals.get(days) as Totals), users: users + (others.get(days) as number) };
  };
  return {
    user: (userId, range) => {
      const sums = user.get({ user: userId, ...daysRead(range) }) as UserSums;
      const { ms, measured, negative } = sums;
      // A sum with cancellation is only correct if all rows are added at once.
      if (negative > 0 || ms === null || !Number.isFinite(ms)) return undefined;
      return userStats(sums, rate(ms, measured));
    },
    global: (range) => {
      const { operations, successes, users } = global(daysRead(range));
      return { total_users: users, total_interactions: operations, success_rate: rate(successes, operations) };
    },
  };
}

const IN_RANGE = isBetween("counted");

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

/** SQL for the first whole day of the range, and for the day after the last one, in days since 1970. */
const FIRST_DAY = `(unixepoch(substr(@since, 1, 10)) / 86400 + (substr(@since, 11) <> '${MIDNIGHT}'))`;
const DAY_AFTER = "unixepoch(substr(@until, 1, 10)) / 86400";

/**
 * True for a user with a stored day among the whole days of the range. The users of days cannot be added; but if a user
 * has days before and after those of the range, which are more than the user's longest gap, then some are between. Only
 * other users are searched for.
 */
const HAS_WHOLE_DAY = `CASE
        WHEN first_day IS NULL OR last_day < first OR first_day >= after OR first >= after THEN false
        WHEN first_day >= first OR last_day < after OR longest_gap <= after - first THEN true
        ELSE EXISTS (SELECT 1 FROM perdura_user_days AS days WHERE days.user_id = known.user_id
          AND day BETWEEN substr(@since, 1, 10) AND substr(@until, 1, 10) AND ${IS_COUNTED_DAY} AND ${IS_WHOLE_DAY}) END`;

const DAYS = { table: "perdura_days", user: "" } as const;

/** SQL that is true for rows that are read: of the first and second divided day, and above the watermark. */
const ROWS = [rowsOfDays(DAYS, 1), rowsOfDays(DAYS, 2), rowsOfTail()] as const;

const ROW_TOTALS = "count(*) AS operations, count(CASE WHEN success THEN 1 END) AS successes";

const WHOLE = `whole AS MATERIALIZED (SELECT ${FIRST_DAY} AS first, ${DAY_AFTER} AS after)`;
const USERS_OF_DAYS = `perdura_user_rollup AS known, whole WHERE ${HAS_WHOLE_DAY}`;

const selected = (columns: string, rows: readonly string[]): string =>
  rows.map((condition) => `SELECT ${columns} FROM ${BY_ID} WHERE ${condition}`).join(" UNION ALL ");

/** SQL for the number of users of rows who have no whole day in the range. */
function othersOf(rows: readonly string[]): string {
  return `WITH ${WHOLE}, others AS MATERIALIZED (
      SELECT DISTINCT user_id FROM (${selected("user_id", rows)})
    )
    SELECT count(*) FROM others
    WHERE NOT EXISTS (SELECT 1 FROM ${USERS_OF_DAYS} AND known.user_id = others.user_id)`;
}

const TOTALS = `SELECT coalesce(sum(operations), 0) AS operations, coalesce(sum(successes), 0) AS successes FROM (
      SELECT operations, successes FROM perdura_days WHERE ${IS_COUNTED_DAY} AND ${IS_WHOLE_DAY}
      UNION ALL ${selected(ROW_TOTALS, ROWS)})`;

/** The totals of a range without a whole day: each row is read once. */
const GLOBAL_OF_ROWS = `SELECT ${ROW_TOTALS}, count(DISTINCT user_id) AS users
    FROM (${selected("user_id, success", ROWS)})`;
