import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { COUNTS, SUMS } from "./sums.ts";
import { asPattern, type Names } from "./names.ts";
import { DECLARE, HEAD, TYPED_COUNTS } from "./statistics_functions.ts";

/** SQL for the sum of a column; the sum of whole numbers is a decimal number, which would be read as text. */
const sumOf = (count: string, otherwise = ""): string => {
  const sum = otherwise === "" ? `sum(${count})` : `coalesce(sum(${count}), ${otherwise})`;
  return `${sum}${count === "ms" ? "" : "::bigint"} AS ${count}`;
};

const TOTALS = COUNTS.map((count) => sumOf(count, "0")).join(", ");
/** Counts over all users, the first and the last time, and the number of rows with a readable time. */
const OVERVIEW = `users bigint, ${TYPED_COUNTS}, first_use text, last_use text, dated bigint`;
const TOP_USERS = "user_id text, operations bigint";

/** SQL for one row about all users, and for the users with the most interactions. */
export interface OverviewSql {
  overview: string;
  topUsers: (limit: string) => string;
}

/**
 * The overview from the sums and the rows that they do not contain:
 *
 * ```sql
 * WITH parts AS (… the sums, then the rows since, then the rows of users whose folded rows were changed …),
 *   users AS (… one row for each user …),
 *   totals AS (… one row …),
 *   times AS (… the number of rows with a readable time …)
 * SELECT * FROM totals, times
 * ```
 *
 * @param beginAt SQL for the transaction number from which rows are counted. The planner would expect a third of all
 *   rows above a number that it does not know.
 * @param isValid SQL that is true if the sums are valid; otherwise all rows are above `beginAt`.
 */
export function overviewSql(names: Names, beginAt: string, isValid: string): OverviewSql {
  const { interactions, userRollup, userDays, days, day } = names;
  const stale = `(SELECT user_id FROM ${names.staleUsers})`;
  const [since, ofStale] = [`recorded_by >= ${beginAt} AND user_id NOT IN ${stale}`, `user_id IN ${stale}`];
  const parts =
    names.sums === "none"
      ? `SELECT user_id, ${SUMS} FROM ${interactions} GROUP BY user_id`
      : `SELECT user_id, ${COUNTS.join(", ")}, newest, first_use, last_use FROM ${userRollup}
        WHERE ${isValid} AND user_id NOT IN ${stale}
      UNION ALL SELECT user_id, ${SUMS} FROM ${interactions} WHERE ${since} GROUP BY user_id
      UNION ALL SELECT user_id, ${SUMS} FROM ${interactions} WHERE ${ofStale} GROUP BY user_id`;
  const users = `
    parts AS (
      ${parts}
    ),
    users AS (
      SELECT user_id, ${COUNTS.map((count) => sumOf(count)).join(", ")},
        min(first_use) AS first_use, max(last_use) AS last_use
      FROM parts GROUP BY user_id
    )`;
  const totals = `
    totals AS (
      SELECT count(*) AS users, ${TOTALS}, min(first_use) AS first_use, max(last_use) AS last_use FROM users
    )`;
  const dated =
    names.sums === "none"
      ? `SELECT count(${day}(timestamp)) AS dated FROM ${interactions}`
      : `SELECT (SELECT coalesce(sum(operations), 0)::bigint FROM ${days} WHERE ${isValid})
        - (SELECT coalesce(sum(operations), 0)::bigint FROM ${userDays} WHERE ${isValid} AND ${ofStale})
        + (SELECT count(${day}(timestamp)) FROM ${interactions} WHERE ${since})
        + (SELECT count(${day}(timestamp)) FROM ${interactions} WHERE ${ofStale}) AS dated`;
  const times = `
    times AS (
      ${dated}
    )`;
  return {
    overview: `WITH ${users}, ${totals}, ${times}
      SELECT * FROM totals, times`,
    topUsers: (limit) => `WITH ${users}
      SELECT user_id, operations FROM users ORDER BY operations DESC, user_id LIMIT ${limit}`,
  };
}

/** Functions that answer these questions in a shard. */
export function overviewFunctions(names: Names): string[] {
  const { overview, topUsers } = overviewSql(names, "begin_at", "begin_at >= 0");
  return [
    answering(`${names.overview}()`, OVERVIEW, names, overview),
    answering(`${names.topUsers}(most bigint)`, TOP_USERS, names, topUsers("most")),
  ];
}

function answering(head: string, columns: string, names: Names, query: string): string {
  const body = `
    #variable_conflict use_column
    ${DECLARE}
    BEGIN
      begin_at := coalesce((SELECT watermark FROM ${names.rollup} WHERE ${names.sumsValid}()), -1);
      RETURN QUERY ${query};
    END`;
  return `CREATE OR REPLACE FUNCTION ${head} RETURNS TABLE (${columns}) ${HEAD} ${sqlText(body)}`;
}

/**
 * The overview from the sums of the shards; no row if a shard has none:
 *
 * ```sql
 * SELECT … FROM unnest(perdura_at_all_shards('perdura_overview_%1$s', …)) AS answer,
 *   json_to_recordset(answer -> 'rows') AS found (…)
 * ```
 */
export function overviewOfShards(names: Names, ofShard: Names): OverviewSql {
  const answers = (question: string, given: string, columns: string): string => {
    const pattern = sqlText(asPattern(question));
    return `unnest(${names.atAllShards}(${pattern}, ${given})) AS answer,
        json_to_recordset(answer -> 'rows') AS found (${columns})`;
  };
  return {
    overview: `SELECT sum(users)::bigint AS users, ${TOTALS}, min(first_use COLLATE "C") AS first_use,
        max(last_use COLLATE "C") AS last_use, sum(dated)::bigint AS dated
      FROM ${answers(ofShard.overview, "'{}'", OVERVIEW)} HAVING count(*) > 0`,
    topUsers: (limit) =>
      `SELECT user_id, operations FROM ${answers(ofShard.topUsers, `ARRAY[${limit}::text]`, TOP_USERS)}
      ORDER BY operations DESC, user_id COLLATE "C" LIMIT ${limit}`,
  };
}
