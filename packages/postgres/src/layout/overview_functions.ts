import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { COUNTS, SUMS } from "./sums.ts";
import { asPattern, type Names } from "./names.ts";
import { DECLARE, HEAD, TYPED_COUNTS } from "./statistics_functions.ts";

/** The sum of whole numbers is a decimal number, which would be read as text. */
const typeOf = (count: string): string => (count === "ms" ? "" : "::bigint");

const TOTALS = COUNTS.map((count) => `coalesce(sum(${count}), 0)${typeOf(count)} AS ${count}`).join(", ");
/** Counts over all users, the first and the last time, and the number of rows with a readable time. */
const OVERVIEW = `users bigint, ${TYPED_COUNTS}, first_use text, last_use text, dated bigint`;
const TOP_USERS = "user_id text, operations bigint";

/** SQL for one row about all users, and for the users with the most interactions. */
export interface OverviewSql {
  overview: string;
  topUsers: (limit: string) => string;
}

/**
 * The overview from the sums and the rows that they do not contain.
 *
 * @param beginAt SQL for the transaction number from which rows are counted. The planner would expect a third of all
 *   rows above a number that it does not know.
 * @param isValid SQL that is true if the sums are valid; otherwise all rows are above `beginAt`.
 */
export function overviewSql(names: Names, beginAt: string, isValid: string): OverviewSql {
  const { interactions, userRollup, userDays, days, staleUsers, day } = names;
  const stale = `(SELECT user_id FROM ${staleUsers})`;
  const added = `recorded_by >= ${beginAt} AND user_id NOT IN ${stale}`;
  const recounted = `user_id IN ${stale}`;
  const rows = (condition: string): string =>
    `SELECT user_id, ${SUMS} FROM ${interactions} WHERE ${condition} GROUP BY user_id`;
  const parts = [
    `SELECT user_id, ${COUNTS.join(", ")}, newest, first_use, last_use FROM ${userRollup}
      WHERE ${isValid} AND user_id NOT IN ${stale}`,
    rows(added),
    rows(recounted),
  ];
  const users = `SELECT user_id, ${COUNTS.map((count) => `sum(${count})${typeOf(count)} AS ${count}`).join(", ")},
      min(first_use) AS first_use, max(last_use) AS last_use FROM (${parts.join(" UNION ALL ")}) AS parts GROUP BY user_id`;
  const sumOf = (table: string, condition: string): string =>
    `(SELECT coalesce(sum(operations), 0)::bigint FROM ${table} WHERE ${isValid} AND ${condition})`;
  const datedRows = (condition: string): string =>
    `(SELECT count(${day}(timestamp)) FROM ${interactions} WHERE ${condition})`;
  const dated = `${sumOf(days, "true")} - ${sumOf(userDays, recounted)} + ${datedRows(added)} + ${datedRows(recounted)}`;
  return {
    overview: `SELECT * FROM (
        SELECT count(*) AS users, ${TOTALS}, min(first_use) AS first_use, max(last_use) AS last_use FROM (${users}) AS users
      ) AS totals, (SELECT ${dated} AS dated) AS times`,
    topUsers: (limit) =>
      `SELECT user_id, operations FROM (${users}) AS users ORDER BY operations DESC, user_id LIMIT ${limit}`,
  };
}

/** Functions that answer these questions in a shard. */
export function overviewFunctions(names: Names): string[] {
  const { overview, topUsers } = overviewSql(names, "begin_at", "begin_at >= 0");
  const body = (query: string): string =>
    sqlText(`
    #variable_conflict use_column
    ${DECLARE(names)}
    BEGIN
      RETURN QUERY ${query};
    END`);
  return [
    `CREATE OR REPLACE FUNCTION ${names.overview}() RETURNS TABLE (${OVERVIEW}) ${HEAD} ${body(overview)}`,
    `CREATE OR REPLACE FUNCTION ${names.topUsers}(most bigint) RETURNS TABLE (${TOP_USERS}) ${HEAD} ${body(topUsers("most"))}`,
  ];
}

/** The overview from the sums of the shards; no row if a shard has none. */
export function overviewOfShards(names: Names, ofShard: Names): OverviewSql {
  const answers = (question: string, given: string, columns: string): string =>
    `unnest(${names.atAllShards}(${sqlText(asPattern(question))}, ${given})) AS answer,
       json_to_recordset(answer -> 'rows') AS found (${columns})`;
  return {
    overview: `SELECT sum(users)::bigint AS users, ${TOTALS}, min(first_use COLLATE "C") AS first_use,
        max(last_use COLLATE "C") AS last_use, sum(dated)::bigint AS dated
      FROM ${answers(ofShard.overview, "'{}'", OVERVIEW)} HAVING count(*) > 0`,
    topUsers: (limit) =>
      `SELECT user_id, operations FROM ${answers(ofShard.topUsers, `ARRAY[${limit}::text]`, TOP_USERS)}
      ORDER BY operations DESC, user_id COLLATE "C" LIMIT ${limit}`,
  };
}
