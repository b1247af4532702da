import { type KeySums, replaceKeyDays, wrongKeyDays, wrongKeyUsers } from "./key_sums.ts";
import type { Names } from "./names.ts";
import { replaceDays, sumsOfAll, sumsOfDays, sumsOfUsers, TRUST_COLUMNS } from "./fold_sums.ts";
import { COUNTS, DAY_COUNTS } from "./sums.ts";

/** Result of a comparison of the sums with all rows. */
export interface Recount {
  /** Number of users with rows or sums. */
  users: number;
  /** Users whose statistics differed from their rows, ordered by code point. */
  wrongUsers: string[];
  /** True if the sums over all users were wrong. */
  wrongTotals: boolean;
}

/** SQL for the number of users with rows or sums. */
export function countUsers(names: Names): string {
  return `SELECT count(*) AS users FROM (
       SELECT user_id FROM ${names.interactions} UNION SELECT user_id FROM ${names.userRollup}) AS users`;
}

/** SQL for the users whose sums differ from their rows, except for users that are marked as stale. */
export function wrongUsers(names: Names, keys?: KeySums): string {
  const byKey = keys === undefined ? "" : `UNION ${wrongKeyUsers(keys)} `;
  return `WITH days AS MATERIALIZED (
       ${sumsOfDays(names, `recorded_by < (SELECT watermark FROM ${names.rollup})`)}
     ), counted AS MATERIALIZED (
       ${sumsOfUsers(names, "days")}
     ), compared AS (
       SELECT user_id, ${EQUAL} AS equal FROM ${names.userRollup} AS known FULL JOIN counted USING (user_id)
       UNION ALL
       SELECT user_id, ${EQUAL_DAYS} AS equal
       FROM ${names.userDays} AS known FULL JOIN (SELECT * FROM days WHERE day IS NOT NULL) AS counted USING (user_id, day)
     )
     SELECT DISTINCT user_id FROM compared WHERE equal IS NOT TRUE
       AND user_id NOT IN (SELECT user_id FROM ${names.staleUsers}) ${byKey}ORDER BY user_id`;
}

/** SQL for one row that tells if the sums over all users differ from the sums of each user. */
export function wrongTotals(names: Names, keys?: KeySums): string {
  const byKey = keys === undefined ? "" : ` OR EXISTS (${wrongKeyDays(keys)})`;
  return `SELECT (rollup.operations, rollup.successes, rollup.users) IS DISTINCT FROM
       (total.operations, total.successes, total.users) OR EXISTS (${wrongDays(names)})${byKey} AS wrong
     FROM ${names.rollup} AS rollup, (${totals(names)}) AS total`;
}

/** Statements that compute the sums over all users again, from the sums of each user. */
export function replaceTotals(names: Names, keys?: KeySums): string[] {
  return [
    `UPDATE ${names.rollup} SET operations = total.operations, successes = total.successes, users = total.users
       FROM (${totals(names)}) AS total`,
    ...replaceDays(names),
    ...(keys === undefined ? [] : replaceKeyDays(keys)),
  ];
}

/** SQL for the sums over all users, computed from the sums of each user. */
function totals(names: Names): string {
  return `SELECT coalesce(sum(operations), 0)::bigint AS operations, coalesce(sum(successes), 0)::bigint AS successes,
    count(*) AS users FROM ${names.userRollup}`;
}

/** SQL for days whose sums over all users differ from the sums of each user. The bounds of ids may be too wide. */
function wrongDays(names: Names): string {
  const equal = [
    ...DAY_COUNTS.map((column) => `known.${column} IS NOT DISTINCT FROM total.${column}`),
    "known.first_id <= total.first_id",
    "known.last_id >= total.last_id",
  ];
  return `SELECT 1 FROM ${names.days} AS known
       FULL JOIN (${sumsOfAll(names.userDays, "ms")}) AS total USING (day) WHERE (${equal.join(" AND ")}) IS NOT TRUE`;
}

/**
 * SQL that is true if the sums of a user are equal to those of the rows. Sums of times may differ slightly, because
 * they depend on the order of addition.
 */
const EQUAL = [
  ...[...COUNTS.filter((column) => column !== "ms"), "newest", "current_level", "first_use", "last_use"].map(
    (column) => `known.${column} IS NOT DISTINCT FROM counted.${column}`,
  ),
  "abs(known.ms - counted.ms) <= 1e-6 * greatest(1, abs(known.ms), abs(counted.ms))",
].join(" AND ");

/** SQL that is true if the sums of a user on a day are equal to those of the rows. */
const EQUAL_DAYS = [
  ...DAY_COUNTS.map((column) => `known.${column} = counted.${column === "ms" ? "exact_ms" : column}`),
  ...TRUST_COLUMNS.map((column, index) => `known.${column} = counted.trust[${index + 1}]`),
  "known.first_id = counted.first_id",
  "known.last_id = counted.last_id",
].join(" AND ");
