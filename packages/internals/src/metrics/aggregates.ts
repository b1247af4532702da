import type { LevelColumn } from "./schema.ts";

/**
 * SQL that is true for a row with a finite response time; others are left out of the mean (ruling
 * U-null-response-time). Integers are accepted without `abs`, which fails for the lowest integer in SQLite.
 */
export const MEASURED =
  "(typeof(response_time_ms) = 'real' AND abs(response_time_ms) < 9e999 OR typeof(response_time_ms) = 'integer')";

/** SQL for the mean of the finite response times. */
export const MEAN_RESPONSE_TIME: string = `coalesce(avg(CASE WHEN ${MEASURED} THEN response_time_ms END), 0.0)`;

/**
 * A power of two that is larger than any number of rows: dividing by it changes no digit, and the sum of the results
 * cannot overflow.
 */
export const SCALE: number = 2 ** 64;

/** SQL for the mean of the finite response times, divided by {@link SCALE}. */
export const SCALED_MEAN: string = `avg(CASE WHEN ${MEASURED} THEN response_time_ms / ${SCALE}.0 END)`;

/** A mean, and the same by {@link SCALED_MEAN}. */
export interface Scaled {
  avg_response_time_ms: number;
  /** Null without response times. */
  scaled: number | null;
}

/** The mean is finite even if the sum is beyond the range of a double. */
export function withFiniteMean<Found extends Scaled>({ scaled, ...found }: Found): Omit<Found, "scaled"> {
  if (!Number.isFinite(found.avg_response_time_ms)) found.avg_response_time_ms = (scaled as number) * SCALE;
  return found;
}

/** SQL for the fraction of successful interactions. */
export const SUCCESS_RATE: string = `coalesce(avg(CASE WHEN success THEN 1.0 ELSE 0.0 END), 0.0)`;

/**
 * SQL that is true for a row with a valid level; the newest such row of a user has the current level (ruling
 * U-current-level).
 */
export function isLevel(levelColumn: LevelColumn): string {
  return `typeof(${levelColumn}) = 'integer' AND ${levelColumn} BETWEEN 1 AND 5`;
}

/** SQL for the number of rows at a level. */
export function countOfLevel(levelColumn: LevelColumn, level: number): string {
  return `count(*) FILTER (WHERE ${levelColumn} = ${level})`;
}

/**
 * SQL for the level of a user's newest interaction (ruling U-current-level). Rows of other programs may contain invalid
 * levels; the newest valid level counts.
 *
 * @param user SQL for the user. SQLite would plan this query again for each value of a parameter that is compared with the
 * indexed column, which takes three times as long as recording a row.
 */
export function currentLevel(levelColumn: LevelColumn, user: string): string {
  return `(SELECT ${levelColumn} FROM interactions
    WHERE user_id = (SELECT ${user}) AND ${isLevel(levelColumn)} ORDER BY id DESC LIMIT 1)`;
}
