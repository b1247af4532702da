import { LEVELS } from "@perdura/internals/metrics/arguments.js";
import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { DAY_COUNTS, MEASURED, OUTCOMES } from "./sums.ts";
import { type Names } from "./names.ts";
import { allIfStale, answerOf, beginAt, DECLARE, headOf, more } from "./statistics_functions.ts";

/**
 * Functions that answer questions about trends (ruling U-trends), from the sums of days and the rows that they do not
 * contain.
 *
 * The parameters are checked texts: `since` and `before` are moments; `from1` to `to1` and `from2` to `to2` are days
 * whose rows are read, because a period or a limit is shorter than a day.
 */
export function trendFunctions(names: Names): string[] {
  return [userFunction(names), globalFunction(names)];
}

const LIMITS = "since, before, from1, to1, from2, to2";
export const RANGES = "from1 text, to1 text, from2 text, to2 text";
export const TREND_RESULT: string = DAY_COUNTS.map((count) => (count === "ms" ? "mean text" : `${count} bigint`)).join(
  ", ",
);
export const PARTS_RESULT: string = `period text, ${TREND_RESULT}, outcomes text, trust bigint[], counted bigint`;
/** Sums of the periods of a shard, which can be added to those of other shards. */
export const SUMS_RESULT: string = `period text, ${DAY_COUNTS.map((count) => `${count} ${count === "ms" ? "numeric" : "bigint"}`).join(", ")}, counted bigint`;

/** SQL for a mean in decimal digits: PostgreSQL rejects a number that is too small for a double. */
const mean = (ms: string, measured: string): string => `(${ms} / nullif(${measured}, 0))::text`;

const sumsOfPeriod = (ms: string): string =>
  DAY_COUNTS.map((count) => (count === "ms" ? ms : `sum(${count})::bigint`)).join(", ");
const SUMS_OF_PERIOD = sumsOfPeriod("sum(ms)");
export const TREND_OF_PERIOD: string = sumsOfPeriod(mean("sum(ms)", "sum(measured)"));

export const startOf = (day: string): string => `(${day} || 'T00:00:00.000')`;

/** SQL for the columns {@link DAY_COUNTS} of one row. */
const OF_ROW = [
  "1",
  "success::integer",
  `(${MEASURED})::integer`,
  `CASE WHEN ${MEASURED} THEN response_time_ms::text::numeric ELSE 0 END`,
  ...LEVELS.map((level) => `(level = ${level})::integer`),
];
export const ROW_COUNTS: string = DAY_COUNTS.map((count, index) => `coalesce(${OF_ROW[index]}, 0) AS ${count}`).join(
  ", ",
);

/**
 * The interactions of a user by period, in parts in the order of ids: `outcomes` are those of consecutive rows, `trust`
 * is the effect of a day. Each part has the sums of its whole period; `counted` is the number of rows of the part that
 * the sums do not contain.
 *
 * A day cannot be used as a whole if another row of the user has an id between those of the day: its rows are read.
 *
 * @param whole True to read all rows.
 */
function userFunction(names: Names): string {
  const rows = (condition: string, isNew: boolean): string =>
    `SELECT id, success, level, response_time_ms, ${names.moment}(timestamp) AS moment, ${isNew ? 1 : 0} AS is_new
            FROM ${names.interactions} WHERE user_id = whose AND ${condition}`;
  const folded = (which: number, condition: string): string =>
    `SELECT * FROM (
            ${rows(`recorded_by < begin_at AND id BETWEEN low${which} AND high${which} OFFSET 0`, false)}
          ) AS folded WHERE substr(moment, 1, 10) ${condition}`;
  const order = "OVER (ORDER BY first_id, last_id";
  const bounds = (condition: string): string =>
    `min(first_id) FILTER (WHERE ${condition}), max(last_id) FILTER (WHERE ${condition})`;
  const [first, second] = ["day BETWEEN from1 AND to1", "day BETWEEN from2 AND to2"];
  const mixed = `mixed AND NOT ${first} AND NOT ${second}`;
  const totals = DAY_COUNTS.map((count) =>
    count === "ms"
      ? mean("sum(ms) OVER whole_period", "sum(measured) OVER whole_period")
      : `(sum(${count}) OVER whole_period)::bigint`,
  );
  return `CREATE OR REPLACE FUNCTION ${names.userTrend}(
    whose text, bucket text, since text, before text, ${RANGES}, whole boolean${more(names)}
  ) RETURNS TABLE (${PARTS_RESULT}) ${headOf(names)} ${sqlText(`
    #variable_conflict use_column
    ${DECLARE}
      newer bigint[];
      lowest bigint;
      low1 bigint; high1 bigint; low2 bigint; high2 bigint; low3 bigint; high3 bigint;
      days text[];
    BEGIN
      ${beginAt(names, ({ userTrend }) => answerOf(`${userTrend}(whose, bucket, ${LIMITS}, whole)`))}
      ${allIfStale(names)}
      IF whole THEN
        begin_at := -1;
      END IF;
      IF begin_at >= 0 THEN
        newer := ARRAY(SELECT id FROM ${names.interactions} WHERE user_id = whose AND recorded_by >= begin_at);
        lowest := (SELECT min(id) FROM unnest(newer) AS new (id));
        SELECT ${bounds(first)}, ${bounds(second)}, ${bounds(mixed)}, array_agg(day) FILTER (WHERE ${mixed})
          INTO low1, high1, low2, high2, low3, high3, days
          FROM (
            SELECT day, first_id, last_id,
              coalesce(first_id <= max(last_id) ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), false)
                OR coalesce(last_id >= lead(first_id) ${order}), false)
                OR (last_id > lowest AND EXISTS (
                  SELECT 1 FROM unnest(newer) AS new (id) WHERE id BETWEEN first_id AND last_id)) AS mixed
            FROM ${names.userDays} WHERE user_id = whose AND ${startOf("day")} < before
          ) AS known;
      END IF;
      RETURN QUERY
        WITH read AS MATERIALIZED (
          ${rows("recorded_by >= begin_at", true)}
          UNION ALL ${folded(1, "BETWEEN from1 AND to1")}
          UNION ALL ${folded(2, "BETWEEN from2 AND to2")}
          UNION ALL ${folded(3, "= ANY (days)")}
        ), entries AS (
          SELECT id, ${names.period}(bucket, moment) AS period, moment >= since AS included, is_new, success,
            NULL::bigint[] AS trust, ${ROW_COUNTS}
          FROM read WHERE moment < before
          UNION ALL
          SELECT first_id, ${names.period}(bucket, day), ${startOf("day")} >= since, 0, NULL,
            ARRAY[trust_add, trust_low, trust_high], ${DAY_COUNTS.join(", ")}
          FROM ${names.userDays} WHERE user_id = whose AND begin_at >= 0 AND ${startOf("day")} < before
            AND NOT ${first} AND NOT ${second} AND day <> ALL (coalesce(days, '{}'))
        ), ordered AS (
          SELECT *, CASE WHEN trust IS NULL AND lag(trust) OVER by_id IS NULL AND lag(period) OVER by_id = period
            THEN 0 ELSE 1 END AS begins
          FROM entries WINDOW by_id AS (ORDER BY id)
        ), numbered AS (
          SELECT *, sum(begins) OVER (ORDER BY id) AS part FROM ordered
        ), parts AS (
          SELECT part, period, sum(is_new) AS counted, min(trust) AS trust,
            CASE WHEN min(trust) IS NULL THEN ${OUTCOMES} END AS outcomes,
            ${DAY_COUNTS.map((count) => `coalesce(sum(${count}) FILTER (WHERE included), 0) AS ${count}`).join(", ")}
          FROM numbered GROUP BY part, period
        )
        SELECT period, ${totals.join(", ")}, outcomes, trust, counted
        FROM parts WINDOW whole_period AS (PARTITION BY period) ORDER BY part;
    END`)}`;
}

/** The interactions of all users by period; `counted` is the number of rows that were counted in addition to the sums. */
function globalFunction(names: Names): string {
  const [first, second] = ["day BETWEEN from1 AND to1", "day BETWEEN from2 AND to2"];
  const isWhole = `begin_at >= 0 AND ${startOf("day")} >= since AND ${startOf("day")} < before AND NOT ${first} AND NOT ${second}`;
  const rows = (condition: string, isNew: boolean): string =>
    `SELECT success, level, response_time_ms, ${names.moment}(timestamp) AS moment, ${isNew ? 1 : 0} AS is_new
            FROM ${names.interactions} AS rows WHERE ${condition}`;
  const folded = (which: number): string => `SELECT * FROM (
            ${rows(`recorded_by < begin_at AND id BETWEEN low${which} AND high${which} AND user_id <> ALL (stale) OFFSET 0`, false)}
          ) AS folded WHERE substr(moment, 1, 10) BETWEEN from${which} AND to${which}`;
  const bounds = (condition: string): string =>
    `min(first_id) FILTER (WHERE ${condition}), max(last_id) FILTER (WHERE ${condition})`;
  const isShard = names.ending !== "";
  return `CREATE OR REPLACE FUNCTION ${names.globalTrend}(bucket text, since text, before text, ${RANGES}${more(names)})
    RETURNS TABLE (${isShard ? SUMS_RESULT : `period text, ${TREND_RESULT}, counted bigint`}) ${headOf(names)} ${sqlText(`
    #variable_conflict use_column
    ${DECLARE}
      stale text[];
      low1 bigint; high1 bigint; low2 bigint; high2 bigint;
    BEGIN
      ${beginAt(names, ({ globalTrend }) => answerOf(`${globalTrend}(bucket, ${LIMITS})`))}
      stale := ARRAY(SELECT DISTINCT user_id FROM ${names.staleUsers});
      IF begin_at >= 0 THEN
        SELECT ${bounds(first)}, ${bounds(second)} INTO low1, high1, low2, high2 FROM ${names.days}
          WHERE ${startOf("day")} < before;
      END IF;
      RETURN QUERY
        WITH read AS MATERIALIZED (
          ${rows("recorded_by >= begin_at AND user_id <> ALL (stale)", true)}
          UNION ALL ${rows("user_id = ANY (stale)", true)}
          UNION ALL ${folded(1)}
          UNION ALL ${folded(2)}
        ), entries AS (
          SELECT ${names.period}(bucket, moment) AS period, is_new, ${ROW_COUNTS}
          FROM read WHERE moment >= since AND moment < before
          UNION ALL
          SELECT ${names.period}(bucket, day), 0, ${DAY_COUNTS.join(", ")} FROM ${names.days} WHERE ${isWhole}
          UNION ALL
          SELECT ${names.period}(bucket, day), 0, ${DAY_COUNTS.map((count) => `-${count}`).join(", ")}
          FROM ${names.userDays} WHERE ${isWhole} AND user_id = ANY (stale)
        )
        SELECT period, ${isShard ? SUMS_OF_PERIOD : TREND_OF_PERIOD}, sum(is_new)::bigint FROM entries
        GROUP BY period HAVING sum(operations) > 0 ORDER BY period;
    END`)}`;
}
