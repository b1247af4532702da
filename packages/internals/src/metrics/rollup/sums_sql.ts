import { countOfLevel, isLevel, MEASURED } from "../aggregates.ts";
import { LEVELS } from "../arguments.ts";
import type { LevelColumn } from "../schema.ts";

/** SQL for a finite response time. */
const TIME: string = `CASE WHEN ${MEASURED} THEN response_time_ms END`;

/** SQL for the counts of rows, without response times. */
function countsOf(levelColumn: LevelColumn): string {
  return `count(*) AS operations, count(CASE WHEN success THEN 1 END) AS successes, count(${TIME}) AS measured,
    ${LEVELS.map((level) => `${countOfLevel(levelColumn, level)} AS level_${level}_count`).join(", ")}`;
}

/** SQL for the sums of rows, as `perdura_user_rollup` has them; `newest` is the id of the newest row with a level. */
export function sumsOf(levelColumn: LevelColumn): string {
  return `${countsOf(levelColumn)}, CASE WHEN min(${TIME}) < 0 THEN NULL ELSE total(${TIME}) END AS ms,
    max(CASE WHEN ${isLevel(levelColumn)} THEN id END) AS newest, min(timestamp) AS first_use, max(timestamp) AS last_use`;
}

/** Columns of `perdura_user_rollup` that can be added. */
export const COUNTS: readonly string[] = [
  "operations",
  "successes",
  "measured",
  ...LEVELS.map((level) => `level_${level}_count`),
];

/** Columns of `perdura_user_days` and `perdura_days` that can be added. */
export const DAY_COUNTS: readonly string[] = [...COUNTS, "negative"];

/** SQL for {@link DAY_COUNTS}, `ms`, `ms_lost`, `first_id` and `last_id` of rows. */
export function daySumsOf(levelColumn: LevelColumn): string {
  return `${countsOf(levelColumn)}, count(*) FILTER (WHERE response_time_ms < 0 AND ${MEASURED}) AS negative, total(${TIME}) AS ms,
    0.0 AS ms_lost, min(id) AS first_id, max(id) AS last_id`;
}

/** SQL for the first and last timestamp of rows, and for what {@link areOrdered} needs to know about all of them. */
export const TIMES = `min(timestamp LIKE '____-__-__ __:__:__') AS is_usual, min(timestamp) AS first_use,
    max(timestamp) AS last_use`;

/**
 * SQL that is true if the order of the texts with these {@link TIMES} is that of the times: all are spelled as
 * `CURRENT_TIMESTAMP` spells a time of the day. SQLite can read the times.
 */
export function areOrdered(day: string): string {
  return `is_usual AND first_use > ${day} AND last_use < ${day} || '!'`;
}

/** SQL for `first_second` and `last_second` of `perdura_user_days`. */
export function secondsOfDay(ordered: string): string {
  const second = (time: string): string => `CASE WHEN ${ordered} THEN unixepoch(${time}) - unixepoch(day) END`;
  return `${second("first_use")} AS first_second, ${second("last_use")} AS last_second`;
}

/** SQL for the sums that rows which are not folded add to the totals of all users. A new user is looked up once. */
export function newTotals(rows: string): string {
  return `SELECT count(*) AS operations, count(CASE WHEN success THEN 1 END) AS successes,
      (SELECT count(*) FROM (SELECT DISTINCT user_id FROM ${rows}) AS new
        WHERE NOT EXISTS (SELECT 1 FROM perdura_user_rollup AS known WHERE known.user_id = new.user_id)) AS users
    FROM ${rows}`;
}

/** SQL for the sum of stored and added times. */
export const SUM = "(ms + excluded.ms)";

/** Rounding error of the sum of two numbers that are not negative; exact (Knuth's two-sum). */
export const ROUNDED_AWAY: string = `((ms - (${SUM} - (${SUM} - ms))) + (excluded.ms - (${SUM} - ms)))`;
