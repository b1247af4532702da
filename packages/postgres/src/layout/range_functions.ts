import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { type Names } from "./names.ts";
import {
  allIfStale,
  answerOf,
  beginAt,
  DECLARE,
  HEAD,
  headOf,
  more,
  refuseAnotherSchema,
} from "./statistics_functions.ts";
import { DAY_COUNTS } from "./sums.ts";
import { RANGES, ROW_COUNTS, startOf, TREND_OF_PERIOD, TREND_RESULT } from "./trend_functions.ts";

/**
 * Functions that answer questions about the interactions between two moments (ruling U-ranges), from the sums of days and
 * the rows that they do not contain; the parameters are those of {@link trendFunctions}.
 */
export function rangeFunctions(names: Names): string[] {
  return [userFunction(names), globalFunction(names)];
}

/** The same questions about distributed tables: all rows are counted, on their workers. */
export function distributedRanges(names: Names, ofRows: Names): string[] {
  return [
    ...rangeFunctions(ofRows),
    `CREATE OR REPLACE FUNCTION ${names.userBetween}(whose text, since text, before text, ${RANGES}${more(names)})
    RETURNS TABLE (${USER_RESULT}) ${HEAD} ${sqlText(`
    BEGIN
      ${refuseAnotherSchema(names)}
      RETURN QUERY SELECT * FROM ${ofRows.userBetween}(whose, ${LIMITS});
    END`)}`,
    `CREATE OR REPLACE FUNCTION ${names.globalBetween}(since text, before text, ${RANGES}${more(names)})
    RETURNS TABLE (${GLOBAL_RESULT}) ${HEAD} ${sqlText(`
    BEGIN
      ${refuseAnotherSchema(names)}
      RETURN QUERY SELECT * FROM ${ofRows.globalBetween}(${LIMITS});
    END`)}`,
  ];
}

const LIMITS = "since, before, from1, to1, from2, to2";
const USER_RESULT = `${TREND_RESULT}, current_level integer, first_use text, last_use text, counted bigint`;
const GLOBAL_RESULT = "operations bigint, successes bigint, users bigint, counted bigint";

const [FIRST, SECOND] = ["day BETWEEN from1 AND to1", "day BETWEEN from2 AND to2"];
const IS_WHOLE = `begin_at >= 0 AND ${startOf("day")} >= since AND ${startOf("day")} < before AND NOT ${FIRST} AND NOT ${SECOND}`;

const bounds = (condition: string): string =>
  `min(first_id) FILTER (WHERE ${condition}), max(last_id) FILTER (WHERE ${condition})`;

/** SQL for the rows that are counted: those that the sums do not contain, and those of the days of the limits. */
function rowsRead(names: Names, columns: string, folded: string, others: readonly string[]): string {
  const rows = (condition: string, isNew: 0 | 1): string =>
    `SELECT ${columns}, success, level, response_time_ms, ${names.moment}(timestamp) AS moment, ${isNew} AS is_new
            FROM ${names.interactions} WHERE ${condition}`;
  const ofDays = (which: 1 | 2): string => `SELECT * FROM (
            ${rows(`${folded} AND recorded_by < begin_at AND id BETWEEN low${which} AND high${which} OFFSET 0`, 0)}
          ) AS folded WHERE substr(moment, 1, 10) BETWEEN from${which} AND to${which}`;
  const parts = [...others.map((condition) => rows(condition, 1)), ofDays(1), ofDays(2)];
  return `SELECT * FROM (
          ${parts.join("\n          UNION ALL ")}
        ) AS rows WHERE moment >= since AND moment < before`;
}

/**
 * The sums of a user, and what only rows tell: the level of the newest one, which the highest ids lead to, and the times of
 * the first and the last one, which the first and the last day lead to.
 */
function userFunction(names: Names): string {
  const ofUser = `FROM ${names.userDays} WHERE user_id = whose`;
  const read = rowsRead(names, "id, timestamp", "user_id = whose", ["user_id = whose AND recorded_by >= begin_at"]);
  const timestampOf = (day: string, order: string): string => `(SELECT timestamp FROM (
            SELECT id, timestamp, moment FROM read
            UNION ALL SELECT id, timestamp, ${names.moment}(timestamp) FROM ${names.interactions}
              WHERE user_id = whose AND recorded_by < begin_at
                AND id BETWEEN (SELECT first_id FROM whole WHERE day = ${day}) AND (SELECT last_id FROM whole WHERE day = ${day})
          ) AS candidates WHERE moment >= since AND moment < before
          ORDER BY moment COLLATE "C" ${order}, id ${order} LIMIT 1)`;
  return `CREATE OR REPLACE FUNCTION ${names.userBetween}(
    whose text, since text, before text, ${RANGES}${more(names)}
  ) RETURNS TABLE (${USER_RESULT}) ${headOf(names)} ${sqlText(`
    #variable_conflict use_column
    ${DECLARE}
      low1 bigint; high1 bigint; low2 bigint; high2 bigint;
    BEGIN
      ${beginAt(names, ({ userBetween }) => answerOf(`${userBetween}(whose, ${LIMITS})`))}
      ${allIfStale(names)}
      IF begin_at >= 0 THEN
        SELECT ${bounds(FIRST)}, ${bounds(SECOND)} INTO low1, high1, low2, high2 ${ofUser} AND ${startOf("day")} < before;
      END IF;
      RETURN QUERY
        WITH read AS MATERIALIZED (
          ${read}
        ), whole AS MATERIALIZED (
          SELECT day, first_id, last_id, ${DAY_COUNTS.join(", ")} ${ofUser} AND ${IS_WHOLE}
        ), entries AS (
          SELECT 0 AS is_new, ${DAY_COUNTS.join(", ")} FROM whole
          UNION ALL SELECT is_new, ${ROW_COUNTS} FROM read
        ), sums (${[...DAY_COUNTS.map((_, index) => `c${index}`), "counted"].join(", ")}) AS (
          SELECT ${TREND_OF_PERIOD}, coalesce(sum(is_new), 0)::bigint FROM entries
        ), ends AS MATERIALIZED (
          SELECT least((SELECT min(first_id) FROM whole), (SELECT min(id) FROM read)) AS lowest,
            greatest((SELECT max(last_id) FROM whole), (SELECT max(id) FROM read)) AS highest,
            (SELECT min(day) FROM whole) AS first_day, (SELECT max(day) FROM whole) AS last_day
        )
        SELECT ${DAY_COUNTS.map((count, index) => (count === "ms" ? `c${index}` : `coalesce(c${index}, 0)`)).join(", ")},
          (SELECT level::integer FROM ${names.interactions} WHERE user_id = whose AND level BETWEEN 1 AND 5
            AND id BETWEEN lowest AND highest AND ${names.moment}(timestamp) >= since AND ${names.moment}(timestamp) < before
            ORDER BY id DESC LIMIT 1),
          ${timestampOf("first_day", "ASC")}, ${timestampOf("last_day", "DESC")}, counted
        FROM sums, ends;
    END`)}`;
}

/**
 * The sums of all users. A user counts with a whole day in the range or with a row of it: one search for each user that
 * exists, because the users of days cannot be added.
 */
function globalFunction(names: Names): string {
  const read = rowsRead(names, "user_id", "user_id <> ALL (stale)", [
    "recorded_by >= begin_at AND user_id <> ALL (stale)",
    "user_id = ANY (stale)",
  ]);
  const counts = ["operations", "successes"] as const;
  return `CREATE OR REPLACE FUNCTION ${names.globalBetween}(since text, before text, ${RANGES}${more(names)})
    RETURNS TABLE (${GLOBAL_RESULT}) ${headOf(names)} ${sqlText(`
    #variable_conflict use_column
    ${DECLARE}
      stale text[];
      low1 bigint; high1 bigint; low2 bigint; high2 bigint;
    BEGIN
      ${beginAt(names, ({ globalBetween }) => answerOf(`${globalBetween}(${LIMITS})`))}
      stale := ARRAY(SELECT DISTINCT user_id FROM ${names.staleUsers});
      IF begin_at >= 0 THEN
        SELECT ${bounds(FIRST)}, ${bounds(SECOND)} INTO low1, high1, low2, high2 FROM ${names.days}
          WHERE ${startOf("day")} < before;
      END IF;
      RETURN QUERY
        WITH read AS MATERIALIZED (
          ${read}
        ), entries AS (
          SELECT is_new, 1 AS operations, coalesce(success, false)::integer AS successes FROM read
          UNION ALL SELECT 0, ${counts.join(", ")} FROM ${names.days} WHERE ${IS_WHOLE}
          UNION ALL SELECT 0, ${counts.map((count) => `-${count}`).join(", ")}
          FROM ${names.userDays} WHERE ${IS_WHOLE} AND user_id = ANY (stale)
        ), users AS (
          SELECT user_id FROM read
          UNION SELECT user_id FROM ${names.userRollup} AS known WHERE begin_at >= 0 AND user_id <> ALL (stale) AND EXISTS (
            SELECT 1 FROM ${names.userDays} AS days WHERE days.user_id = known.user_id
              AND day >= substr(since, 1, 10) AND ${IS_WHOLE})
        )
        SELECT ${counts.map((count) => `coalesce(sum(${count}), 0)::bigint`).join(", ")}, (SELECT count(*) FROM users),
          coalesce(sum(is_new), 0)::bigint
        FROM entries;
    END`)}`;
}
