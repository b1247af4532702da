import { type KeySums, recountKeys } from "./key_sums.ts";
import type { Names } from "./names.ts";
import { trustOfOne } from "./trust_function.ts";
import { COUNTS, currentLevel, DAY_COUNTS, EXACT_MS, OUTCOMES, SUMS } from "./sums.ts";

const list = (columns: readonly string[]): string => columns.join(", ");

const USER_COLUMNS = list(["user_id", ...COUNTS, "newest", "current_level", "first_use", "last_use"]);
const DAY_COLUMNS = list([...DAY_COUNTS, "first_id", "last_id"]);
/** The values of {@link DAY_COLUMNS} in {@link sumsOfDays}. */
const DAY_VALUES = list([...DAY_COUNTS.map((count) => (count === "ms" ? "exact_ms" : count)), "first_id", "last_id"]);
export const TRUST_COLUMNS: readonly string[] = ["trust_add", "trust_low", "trust_high"];

/** SQL that adds sums to those of the same day that exist. */
const addToDay = (added: string, ms: string): string =>
  list([
    ...DAY_COUNTS.map((count) => `${count} = known.${count} + ${added}.${count === "ms" ? ms : count}`),
    `first_id = least(known.first_id, ${added}.first_id)`,
    `last_id = greatest(known.last_id, ${added}.last_id)`,
  ]);

/** SQL for the sums of each user on each day in a selection of interactions; the day is null without a readable time. */
export function sumsOfDays(names: Names, condition: string): string {
  const trust = `CASE count(*) WHEN 1 THEN ${trustOfOne("bool_and(success)")} ELSE ${names.trust}(${OUTCOMES}) END`;
  // OFFSET 0 computes a day once, and rows are read in the order of the table, not of an index on users.
  return `SELECT user_id, day, ${SUMS}, ${EXACT_MS} AS exact_ms,
        min(id) AS first_id, max(id) AS last_id, ${trust} AS trust
      FROM (SELECT id, user_id, level, success, response_time_ms, timestamp, ${names.day}(timestamp) AS day
        FROM ${names.interactions} WHERE ${condition} OFFSET 0) AS rows
      GROUP BY user_id, day`;
}

/** SQL for the sums of each user, from the sums of days. */
export function sumsOfUsers(names: Names, days: string): string {
  const added = COUNTS.map((count) => `sum(${count})${count === "ms" ? "" : "::bigint"} AS ${count}`);
  return `SELECT sums.*, ${currentLevel(names, "sums.user_id", "sums.newest")} AS current_level
      FROM (SELECT user_id, ${list(added)}, max(newest) AS newest, min(first_use) AS first_use, max(last_use) AS last_use
        FROM ${days} GROUP BY user_id) AS sums`;
}

/** SQL for the sums of all users on each day. */
export function sumsOfAll(days: string, ms: string): string {
  const added = DAY_COUNTS.map((count) => (count === "ms" ? `sum(${ms}) AS ms` : `sum(${count})::bigint AS ${count}`));
  return `SELECT day, ${list(added)}, min(first_id) AS first_id, max(last_id) AS last_id FROM ${days}
      WHERE day IS NOT NULL GROUP BY day`;
}

/**
 * SQL that adds rows to all sums in one statement. It changes no row if the session runs as a replica, whose changes of
 * the sums are discarded.
 *
 * @param condition SQL for the rows, which the sums do not contain.
 * @param end SQL for the transaction number below which the sums contain all rows of these users afterwards.
 */
export function addSums(names: Names, condition: string, end: string): string {
  // The effect of later rows can be applied after that of earlier ones. Otherwise all rows of the day are read.
  const isLater = "piece.first_id > known.last_id";
  const trustOfDay = `(SELECT ${names.trust}(${OUTCOMES}) FROM ${names.interactions} AS rows
          WHERE rows.user_id = piece.user_id AND rows.recorded_by < ${end} AND ${names.day}(rows.timestamp) = piece.day
            AND rows.id BETWEEN least(piece.first_id, known.first_id) AND greatest(piece.last_id, known.last_id))`;
  const within = (value: string): string => `least(change[3], greatest(change[2], ${value} + change[1]))`;
  return `WITH piece AS MATERIALIZED (
       ${sumsOfDays(names, condition)}
     ), users AS MATERIALIZED (
       ${sumsOfUsers(names, "piece")}
     ), fresh AS (
       SELECT count(*) AS users FROM users
       WHERE NOT EXISTS (
         SELECT 1 FROM ${names.userRollup} AS known WHERE known.user_id = users.user_id)
     ), stored AS (
       INSERT INTO ${names.userRollup} AS known (${USER_COLUMNS}) SELECT ${USER_COLUMNS} FROM users
       ON CONFLICT (user_id) DO UPDATE SET
         ${COUNTS.map((count) => `${count} = known.${count} + excluded.${count}`).join(", ")},
         current_level = CASE WHEN excluded.newest > coalesce(known.newest, -9223372036854775808)
           THEN excluded.current_level ELSE known.current_level END,
         newest = greatest(known.newest, excluded.newest),
         first_use = least(known.first_use, excluded.first_use), last_use = greatest(known.last_use, excluded.last_use)
     ), with_known AS MATERIALIZED (
       SELECT piece.*, ${isLater} AS is_later,
         CASE WHEN ${isLater} IS FALSE THEN ${trustOfDay} ELSE piece.trust END AS change
       FROM piece LEFT JOIN ${names.userDays} AS known ON known.user_id = piece.user_id AND known.day = piece.day
       WHERE piece.day IS NOT NULL
     ), first_of_days AS (
       INSERT INTO ${names.userDays} (user_id, day, ${DAY_COLUMNS}, ${list(TRUST_COLUMNS)})
       SELECT user_id, day, ${DAY_VALUES}, change[1], change[2], change[3] FROM with_known WHERE is_later IS NULL
     ), added_to_days AS (
       UPDATE ${names.userDays} AS known SET ${addToDay("added", "exact_ms")},
         trust_add = CASE WHEN is_later THEN known.trust_add + change[1] ELSE change[1] END,
         trust_low = CASE WHEN is_later THEN ${within("known.trust_low")} ELSE change[2] END,
         trust_high = CASE WHEN is_later THEN ${within("known.trust_high")} ELSE change[3] END
       FROM with_known AS added
       WHERE known.user_id = added.user_id AND known.day = added.day AND is_later IS NOT NULL
     ), stored_all AS (
       INSERT INTO ${names.days} AS known (day, ${DAY_COLUMNS})
       SELECT day, ${DAY_COLUMNS} FROM (${sumsOfAll("piece", "exact_ms")}) AS sums
       ON CONFLICT (day) DO UPDATE SET ${addToDay("excluded", "ms")}
     )
     UPDATE ${names.rollup} AS rollup SET watermark = ${end},
       operations = rollup.operations + total.operations, successes = rollup.successes + total.successes,
       users = rollup.users + fresh.users
     FROM fresh, (SELECT coalesce(sum(operations), 0) AS operations, coalesce(sum(successes), 0) AS successes FROM users) AS total`;
}

/**
 * SQL for the transaction number before which approximately `rows` rows are added; no row if there are fewer. All rows of
 * a transaction have the same number, so the first transaction is always added as a whole.
 *
 * @param from SQL for the first number.
 * @param to SQL for the number after the last one.
 */
export function endOfPiece(names: Names, from: string, to: string, rows: number | string): string {
  return `SELECT greatest(recorded_by, ${from} + 1)::text AS end FROM ${names.interactions}
     WHERE recorded_by >= ${from} AND recorded_by < ${to} ORDER BY recorded_by OFFSET ${rows} LIMIT 1`;
}

/** Name of the lock that is held while the sums are changed. */
export const foldLock = (names: Names): string => `perdura sums ${names.schema}${names.ending}`;

/** SQL that is true if there are stale users. */
export const anyStale = (names: Names): string => `EXISTS (SELECT 1 FROM ${names.staleUsers})`;

/**
 * Statements that delete the sums of stale users and compute them again from their rows below the watermark.
 *
 * @param keys Undefined if no keys are declared.
 */
export function recountStaleUsers(names: Names, keys?: KeySums): string[] {
  const stale = `SELECT user_id FROM ${names.staleUsers}`;
  const watermark = `(SELECT watermark FROM ${names.rollup})`;
  return [
    `WITH gone AS (
       DELETE FROM ${names.userRollup} WHERE user_id IN (${stale}) RETURNING operations, successes
     ), total AS (
       SELECT coalesce(sum(operations), 0) AS operations, coalesce(sum(successes), 0) AS successes, count(*) AS users FROM gone
     )
     UPDATE ${names.rollup} AS rollup SET operations = rollup.operations - total.operations,
       successes = rollup.successes - total.successes, users = rollup.users - total.users FROM total`,
    `WITH gone AS (
       DELETE FROM ${names.userDays} WHERE user_id IN (${stale}) RETURNING *
     )
     UPDATE ${names.days} AS known SET ${list(DAY_COUNTS.map((count) => `${count} = known.${count} - total.${count}`))}
     FROM (${sumsOfAll("gone", "ms")}) AS total WHERE known.day = total.day`,
    addSums(names, `user_id IN (${stale}) AND recorded_by < ${watermark}`, watermark),
    `DELETE FROM ${names.days} WHERE operations = 0`,
    ...(keys === undefined ? [] : recountKeys(keys)),
    `DELETE FROM ${names.staleUsers}`,
  ];
}

/** Statements that compute the sums of all users on each day again, from the sums of each user. */
export function replaceDays(names: Names): string[] {
  return [
    `DELETE FROM ${names.days}`,
    `INSERT INTO ${names.days} (day, ${DAY_COLUMNS}) SELECT day, ${DAY_COLUMNS} FROM (${sumsOfAll(names.userDays, "ms")}) AS total`,
  ];
}
