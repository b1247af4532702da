import { LEVELS } from "@perdura/internals/metrics/arguments.js";
import type { Names } from "./names.ts";

/**
 * Times from this value on are not added: the sum of a few could exceed the range of a double, which PostgreSQL
 * rejects.
 */
const BEYOND = "1e290";

/**
 * SQL that is true for a finite response time; the difference of another one is NaN. Rows of other programs may have
 * others, which are left out of the mean (U-null-response-time). PostgreSQL 13 has no infinite `numeric` to compare with.
 */
export const MEASURED = "response_time_ms - response_time_ms = 0";

/** Columns of the sums that can be added. */
export const COUNTS: readonly string[] = [
  "operations",
  "successes",
  "measured",
  "ms",
  "beyond",
  ...LEVELS.map((level) => `level_${level}_count`),
];

/**
 * SQL for the sums of rows, with the columns of `perdura_user_rollup`. `newest` is the highest id of a row with a valid
 * level.
 */
export const SUMS: string = `count(*) AS operations,
  count(*) FILTER (WHERE success) AS successes,
  count(*) FILTER (WHERE ${MEASURED}) AS measured,
  coalesce(sum(response_time_ms) FILTER (WHERE abs(response_time_ms) < ${BEYOND}), 0) AS ms,
  count(*) FILTER (WHERE ${MEASURED} AND abs(response_time_ms) >= ${BEYOND}) AS beyond,
  ${LEVELS.map((level) => `count(*) FILTER (WHERE level = ${level}) AS level_${level}_count`).join(",\n  ")},
  max(id) FILTER (WHERE level BETWEEN 1 AND 5) AS newest,
  min(timestamp) AS first_use,
  max(timestamp) AS last_use`;

/**
 * SQL for the level of the newest row (ruling U-current-level). It is looked up by id, because PostgreSQL would sort
 * all rows to aggregate it.
 *
 * @param user SQL for the user.
 * @param newest SQL for the column `newest` of the sums.
 */
export function currentLevel(names: Names, user: string, newest: string): string {
  return `(SELECT level::integer FROM ${names.interactions} WHERE id = ${newest} AND user_id = ${user})`;
}

/** Columns of the sums of a day that can be added and subtracted exactly. */
export const DAY_COUNTS: readonly string[] = [
  "operations",
  "successes",
  "measured",
  "ms",
  ...LEVELS.map((level) => `level_${level}_count`),
];

/**
 * SQL for the sum of the finite response times of rows. As decimal numbers, times are added exactly: the order of
 * addition does not matter, and sums can be subtracted.
 */
export const EXACT_MS: string = `coalesce(sum(response_time_ms::text::numeric) FILTER (WHERE ${MEASURED}), 0)`;

/** SQL for the outcomes of rows in the order of their ids: a text of the digits 1 (success) and 0 (failure). */
export const OUTCOMES = "string_agg(CASE WHEN success THEN '1' ELSE '0' END, '' ORDER BY id)";
