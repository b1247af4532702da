import { LEVELS } from "@perdura/internals/metrics/arguments.js";
import type { Names } from "../layout/names.ts";

/** From here on, times are not added up: the sum of a few could be beyond a double, which PostgreSQL refuses. */
const BEYOND = "1e290";

/** Rows of other programs may hold times that are not finite numbers; these are left out of the mean (U-null-response-time). */
export const MEASURED = "response_time_ms > '-Infinity' AND response_time_ms < 'Infinity'";

/** Columns of the sums that add up. */
export const COUNTS: readonly string[] = [
  "operations",
  "successes",
  "measured",
  "ms",
  "beyond",
  ...LEVELS.map((level) => `level_${level}_count`),
];

/** SQL for the sums of rows, as `perdura_user_rollup` has them: `newest` is the highest id of a row with a level. */
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
 * SQL for the current level among rows (ruling U-current-level). Looked up: to aggregate it PostgreSQL would sort all rows.
 *
 * @param user SQL for the user, and
 * @param newest for the `newest` of the rows.
 */
export function currentLevel(names: Names, user: string, newest: string): string {
  return `(SELECT level FROM ${names.interactions} WHERE id = ${newest} AND user_id = ${user})`;
}
