import type { LevelColumn } from "./schema.ts";

/**
 * Rows without a finite number there are left out of the mean (ruling U-null-response-time). Of the lowest of all
 * integers SQLite can tell no absolute value.
 */
export const MEASURED =
  "(typeof(response_time_ms) = 'integer' OR (typeof(response_time_ms) = 'real' AND abs(response_time_ms) < 9e999))";

/** True for a row whose level counts as the user's current one, if the row is the newest such (ruling U-current-level). */
export function isLevel(levelColumn: LevelColumn): string {
  return `typeof(${levelColumn}) = 'integer' AND ${levelColumn} BETWEEN 1 AND 5`;
}

/** SQL for the number of rows with a level. */
export function countOfLevel(levelColumn: LevelColumn, level: number): string {
  return `count(CASE WHEN ${levelColumn} = ${level} THEN 1 END)`;
}
