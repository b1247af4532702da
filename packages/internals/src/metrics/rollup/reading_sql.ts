import type { LevelColumn } from "../schema.ts";
import { COUNTS, newTotals, sumsOf } from "./sums_sql.ts";

/** SQL that is true for rows above the watermark. */
export const TAIL = "id > (SELECT watermark FROM perdura_rollup)";

/**
 * The table for a search by ids. In a union, SQLite would read the whole index of users, because it has their order, to
 * sort a few rows less.
 */
export const BY_ID = "interactions NOT INDEXED";

/** Columns of a user that can be added, for a select. */
export const SUMS: string = COUNTS.join(", ");

/**
 * Sums of a user whose rows are all folded, valid at one schema version. Parameters: the user, the user again, the
 * version.
 */
export const SETTLED: string = `SELECT ${SUMS}, ms + ms_lost AS ms, current_level,
    CAST(first_use AS TEXT) AS first_use, CAST(last_use AS TEXT) AS last_use
  FROM perdura_user_rollup WHERE user_id = ?
    AND (SELECT max(id) FROM interactions) <= (SELECT watermark FROM perdura_rollup)
    AND NOT EXISTS (SELECT 1 FROM interactions WHERE id = -1)
    AND NOT EXISTS (SELECT 1 FROM perdura_stale_users WHERE user_id = ?)
    AND (SELECT schema_version FROM pragma_schema_version) = ?`;

/**
 * Sums of a user including the rows above the watermark. The folded sums come first: if two times are equal but spelled
 * differently, that of the older row counts.
 */
export function withTailQuery(levelColumn: LevelColumn): string {
  return `SELECT ${COUNTS.map((count) => `sum(${count}) AS ${count}`).join(", ")},
      CASE WHEN count(ms) = count(*) THEN sum(ms) END AS ms,
      coalesce(max(CASE WHEN tail THEN current_level END), max(CASE WHEN NOT tail THEN current_level END)) AS current_level,
      CAST(min(first_use) AS TEXT) AS first_use, CAST(max(last_use) AS TEXT) AS last_use
    FROM (
      SELECT 0 AS tail, ${SUMS}, ms + ms_lost AS ms, current_level, first_use, last_use
      FROM perdura_user_rollup WHERE user_id = @user
      UNION ALL SELECT 1, ${SUMS}, ms, (SELECT ${levelColumn} FROM interactions WHERE id = newest), first_use, last_use
      FROM (SELECT ${sumsOf(levelColumn)} FROM interactions WHERE user_id = @user AND ${TAIL}))`;
}

/** Rows of stale users. All of them are counted, and the sums of these users in the rollup are subtracted. */
const STALE_ROWS = "perdura_stale_users AS stale CROSS JOIN interactions ON interactions.user_id = stale.user_id";
const NOT_STALE = "user_id NOT IN (SELECT user_id FROM perdura_stale_users)";

/** Sums over all users, including the rows that are not folded and those of stale users. */
export const GLOBAL: string = `SELECT sum(operations) AS operations, sum(successes) AS successes, sum(users) AS users FROM (
    SELECT operations, successes, users FROM perdura_rollup
    UNION ALL ${newTotals(`${BY_ID} WHERE ${TAIL} AND ${NOT_STALE}`)}
    UNION ALL SELECT -coalesce(sum(operations), 0), -coalesce(sum(successes), 0), -count(*)
      FROM perdura_user_rollup WHERE user_id IN (SELECT user_id FROM perdura_stale_users)
    UNION ALL SELECT count(*), count(CASE WHEN success THEN 1 END), count(DISTINCT interactions.user_id) FROM ${STALE_ROWS})`;

const NO_BLOB = "typeof(user_id) <> 'blob'";

/**
 * All users in the order of code points, as in a count of all rows (ruling U-users-order). A blob cannot be asked
 * for (ruling U-reading). The sums have this order, so that SQLite need not sort them.
 */
export const USERS: string = `SELECT user_id FROM perdura_user_rollup WHERE ${NOT_STALE} AND ${NO_BLOB}
    UNION SELECT user_id FROM ${BY_ID} WHERE ${TAIL} AND ${NO_BLOB}
    UNION SELECT user_id FROM (SELECT interactions.user_id FROM ${STALE_ROWS}) WHERE ${NO_BLOB} ORDER BY 1`;

const FIRST_USER = "SELECT min(user_id) FROM interactions";

/** The same users, with a search in the index of users for each of them. */
export const USERS_BY_INDEX: string = `WITH RECURSIVE found (user_id) AS (${FIRST_USER} UNION ALL
      SELECT (${FIRST_USER} WHERE user_id > found.user_id) FROM found WHERE user_id IS NOT NULL)
    SELECT user_id FROM found WHERE user_id IS NOT NULL AND ${NO_BLOB}`;
