import type { Database } from "../../sqlite/open_database.ts";
import type { LevelColumn } from "../schema.ts";
import { DAY } from "../trends/time_sql.ts";
import { MEAN_TOLERANCE, STALE, SUMMED_USERS } from "./audit_sql.ts";
import { conditionOf, schemaVersionQuery } from "./condition.ts";
import { keyDifferences } from "./key_audit.ts";
import { areOrdered, COUNTS, DAY_COUNTS, daySumsOf, secondsOfDay, sumsOf, TIMES } from "./sums_sql.ts";
import { addTrustFunctions, OUTCOMES, TRUST_COLUMNS } from "./trust_columns.ts";

/** Result of a comparison of a rollup with the rows. */
export interface RollupAudit {
  /** Users whose sums were compared. */
  users: number;
  /** Differences, one sentence each. */
  differences: string[];
}

/**
 * Compares the whole rollup with the interactions. Reads every row twice, and once more for each declared key.
 *
 * @returns Undefined for a database whose statistics do not come from a rollup.
 */
export function auditRollup(database: Database, levelColumn: LevelColumn): RollupAudit | undefined {
  return database.transaction(() => {
    if (conditionOf(database, schemaVersionQuery(database).get() as number) !== "ready") return undefined;
    // The triggers cannot see a row with this id (see `objects.ts`), so all statistics come from the rows.
    if (database.prepare("SELECT 1 FROM interactions WHERE id = -1").get() !== undefined) return undefined;
    addTrustFunctions(database);
    const wrong = database.prepare(wrongUsers(levelColumn)).pluck().all() as string[];
    const wrongDays = database.prepare(usersWithWrongDays(levelColumn)).pluck().all() as string[];
    const totals = database.prepare(TOTALS).raw().get() as number[];
    const [users = 0, ...pairs] = totals;
    return {
      users,
      differences: [
        ...firstOf(wrong, (user) => `the totals of the user ${JSON.stringify(user)} differ from the rows`),
        ...(wrong.length > SHOWN ? [`the totals of ${wrong.length - SHOWN} more users differ`] : []),
        ...firstOf(wrongDays, (user) => `the days of the user ${JSON.stringify(user)} differ from the rows`),
        ...(wrongDays.length > SHOWN ? [`the days of ${wrongDays.length - SHOWN} more users differ`] : []),
        ...firstOf(
          database.prepare(WRONG_DAYS).pluck().all() as string[],
          (day) => `the total of the day ${day} differs from those of the users`,
        ),
        ...["rows", "successes", "users"].flatMap((what, index) => {
          const [kept, summed] = [pairs[2 * index], pairs[2 * index + 1]];
          return kept === summed
            ? []
            : [`the total of all users has ${kept} ${what}, the users together have ${summed}`];
        }),
        ...keyDifferences(database),
      ],
    };
  })();
}

/** Maximum number of users or days that are named. */
const SHOWN = 10;

function firstOf(wrong: readonly string[], sentence: (name: string) => string): string[] {
  return wrong.slice(0, SHOWN).map(sentence);
}

/** All sums of a user must be equal, except that a mean may be rounded differently. */
function wrongUsers(levelColumn: LevelColumn): string {
  const same = [...COUNTS, "current_level", "first_use", "last_use"].map((name) => `kept.${name} IS rows.${name}`);
  const mean = `(kept.ms IS NULL AND rows.ms IS NULL OR abs(kept.ms + kept.ms_lost - rows.ms) <= ${MEAN_TOLERANCE} * rows.ms
    OR kept.ms + kept.ms_lost IS rows.ms)`;
  return `WITH rows AS MATERIALIZED (
      SELECT *, (SELECT ${levelColumn} FROM interactions WHERE id = newest) AS current_level
      FROM (SELECT user_id, ${sumsOf(levelColumn)} FROM interactions
        WHERE id <= (SELECT watermark FROM perdura_rollup) AND ${SUMMED_USERS} GROUP BY user_id)
    )
    SELECT CAST(rows.user_id AS TEXT) FROM rows LEFT JOIN perdura_user_rollup AS kept ON kept.user_id = rows.user_id
      WHERE kept.user_id IS NULL OR NOT (${[...same, mean].join(" AND ")})
    UNION ALL SELECT CAST(user_id AS TEXT) FROM perdura_user_rollup
      WHERE user_id NOT IN (${STALE}) AND user_id NOT IN (SELECT user_id FROM rows)
    ORDER BY 1`;
}

/** SQL that is true if two sums of times are equal, except that they may be rounded differently. */
function sameTimes(one: string, other: string): string {
  return `(abs(${one} - ${other}) <= ${MEAN_TOLERANCE} * abs(${other}) OR ${one} IS ${other})`;
}

/**
 * All sums of a day of a user must be equal. A sum of times is not used if a time is negative, or if the sum is beyond
 * the range of a double.
 */
function usersWithWrongDays(levelColumn: LevelColumn): string {
  const compared = [...DAY_COUNTS, "first_id", "last_id", "trust_low", "trust_high", "first_second", "last_second"];
  const same = compared.map((name) => `kept.${name} IS rows.${name}`);
  const unused = "kept.negative > 0 OR kept.ms + kept.ms_lost IS NULL OR abs(kept.ms) = 9e999";
  const times = `(${unused} OR ${sameTimes("kept.ms + kept.ms_lost", "rows.ms")})`;
  // With equal limits the result does not depend on what is added.
  const trust = "(kept.trust_low = kept.trust_high OR kept.trust_add = rows.trust_add)";
  return `WITH rows AS MATERIALIZED (
      SELECT *, ${TRUST_COLUMNS.map((name) => `perdura_${name}(outcomes) AS ${name}`).join(", ")}, ${secondsOfDay(areOrdered("day"))}
      FROM (SELECT user_id, ${DAY} AS day, ${daySumsOf(levelColumn)}, ${TIMES}, ${OUTCOMES} FROM interactions
        WHERE id <= (SELECT watermark FROM perdura_rollup) AND ${SUMMED_USERS} GROUP BY user_id, 2)
      WHERE day IS NOT NULL
    )
    SELECT CAST(rows.user_id AS TEXT)
      FROM rows LEFT JOIN perdura_user_days AS kept ON kept.user_id = rows.user_id AND kept.day = rows.day
      WHERE kept.user_id IS NULL OR NOT (${[...same, times, trust].join(" AND ")})
    UNION SELECT CAST(user_id AS TEXT) FROM perdura_user_days
      WHERE user_id NOT IN (${STALE}) AND (user_id, day) NOT IN (SELECT user_id, day FROM rows)
    UNION SELECT CAST(kept.user_id AS TEXT) FROM perdura_user_rollup AS kept LEFT JOIN (${DAYS_OF_USERS}) AS days USING (user_id)
      WHERE kept.user_id NOT IN (${STALE}) AND NOT (kept.first_day IS days.first_day AND kept.last_day IS days.last_day
        AND kept.longest_gap >= coalesce(days.longest_gap, 0))
    ORDER BY 1`;
}

/** SQL for the first and last day of users and their longest gap between days. A stored gap may be longer. */
const DAYS_OF_USERS = `SELECT user_id, min(day) AS first_day, max(day) AS last_day, max(day - previous) AS longest_gap
    FROM (SELECT user_id, day, lag(day) OVER (PARTITION BY user_id ORDER BY day) AS previous
      FROM (SELECT user_id, unixepoch(day) / 86400 AS day FROM perdura_user_days)) GROUP BY user_id`;

/** The sums of a day must be those of the users together, and its ids between the limits. */
const WRONG_DAYS = `WITH users AS (
    SELECT day, ${DAY_COUNTS.map((name) => `sum(${name}) AS ${name}`).join(", ")}, total(ms + ms_lost) AS ms,
      min(first_id) AS first_id, max(last_id) AS last_id
    FROM perdura_user_days GROUP BY day
  )
  SELECT day FROM perdura_days AS kept LEFT JOIN users USING (day) WHERE NOT (
    ${DAY_COUNTS.map((name) => `kept.${name} IS users.${name}`).join(" AND ")}
    AND kept.first_id <= users.first_id AND kept.last_id >= users.last_id
    AND (kept.negative > 0 OR kept.ms + kept.ms_lost IS NULL OR abs(kept.ms) = 9e999
      OR ${sameTimes("kept.ms + kept.ms_lost", "users.ms")}))
  UNION SELECT day FROM users WHERE day NOT IN (SELECT day FROM perdura_days)
  ORDER BY 1`;

const TOTALS = `SELECT users.users, state.operations, users.operations, state.successes, users.successes, state.users, users.users
  FROM perdura_rollup AS state, (SELECT count(*) AS users, coalesce(sum(operations), 0) AS operations,
    coalesce(sum(successes), 0) AS successes FROM perdura_user_rollup) AS users`;
