import { MIDNIGHT } from "../days_read.ts";
import type { LevelColumn } from "../schema.ts";
import { isBetween, isNear, periodOfDay, periodSql } from "../trends/time_sql.ts";
import type { Bucket } from "../trends/trend.ts";
import { TAIL } from "./reading_sql.ts";
import { areOrdered, DAY_COUNTS, daySumsOf, TIMES } from "./sums_sql.ts";
import { OUTCOMES, TRUST_COLUMNS } from "./trust_columns.ts";

const START_OF_DAY = `day || '${MIDNIGHT}'`;

/** SQL that is true for a day before `until` whose stored sums are used. */
export const IS_WHOLE_DAY: string = `${START_OF_DAY} < @until
        AND NOT day BETWEEN @from1 AND @to1 AND NOT day BETWEEN @from2 AND @to2`;

/** SQL that is true for a day that does not begin before `since`. */
export const IS_COUNTED_DAY: string = `${START_OF_DAY} >= @since`;

/** A table with the sums of days. */
export interface DaysTable {
  table: "perdura_days" | "perdura_user_days";
  /** Condition for the user, with AND; empty for all users. */
  user: string;
  /** SQL for the highest id that other sums than those of the table contain; not higher than theirs. */
  watermark?: string;
}

/**
 * Condition for the user, with AND. SQLite would plan the query again for each value of a parameter that is compared
 * with an indexed column.
 */
export const OF_USER = "user_id = (SELECT @user) AND";

/**
 * SQL that is true for folded rows between the limits, of the first or second range of days whose rows are read; or for
 * those before the limits.
 */
export function rowsOfDays(
  { table, user, watermark = "(SELECT watermark FROM perdura_rollup)" }: DaysTable,
  which: 1 | 2,
  are: "counted" | "earlier" = "counted",
): string {
  const ids = (id: string): string =>
    `(SELECT ${id} FROM ${table} WHERE ${user} day BETWEEN @from${which} AND @to${which} AND ${START_OF_DAY} < @until)`;
  // SQLite searches by one upper limit only, and would read all rows from the day on if it chose the watermark.
  return `id BETWEEN ${ids("min(first_id)")} AND min(${ids("max(last_id)")}, ${watermark})
      AND ${isBetween(`${are}${which}`)}`;
}

/** The same for rows above the watermark. */
export function rowsOfTail(are: "counted" | "earlier" = "counted"): string {
  return `${TAIL} AND ${isNear(are)} AND ${isBetween(are)}`;
}

interface PartsSql extends DaysTable {
  bucket: Bucket;
  levelColumn: LevelColumn;
  /** More columns to select: what trust is computed from, or the first and last time of a day; see {@link TIMES}. */
  also?: "trust" | "times";
  /** True to include rows before the limits, which have an effect on trust only. */
  hasEarlier?: boolean;
}

/** SQL for more columns: of a stored day, of rows, and what is computed of these. */
interface MoreColumns {
  ofDays: string;
  ofRows: string;
  aggregates: string;
}

const NO_COLUMNS: MoreColumns = { ofDays: "", ofRows: "", aggregates: "" };

const MORE_COLUMNS: Record<"trust" | "times", MoreColumns> = {
  trust: {
    ofDays: `, ${TRUST_COLUMNS.join(", ")}, NULL AS outcomes`,
    ofRows: ", NULL, NULL, NULL, outcomes",
    aggregates: `, ${OUTCOMES}`,
  },
  times: {
    ofDays: `, datetime(day, first_second || ' seconds') AS first_use, datetime(day, last_second || ' seconds') AS last_use`,
    ofRows: `, ${["first_use", "last_use"].map((time) => `CASE WHEN ${areOrdered("period")} THEN ${time} END`).join(", ")}`,
    aggregates: `, ${TIMES}`,
  },
};

/** SQL for the parts: stored sums of whole days, rows of other days, and rows above the watermark. */
export function partsSql({ bucket, levelColumn, also, hasEarlier = false, ...days }: PartsSql): string {
  const { table, user } = days;
  const columns = (ms: string): string => `${DAY_COUNTS.join(", ")}, ${ms} AS ms, first_id, last_id`;
  // Only days before `since` are stored sums in a trend by hours.
  const period = bucket === "hour" ? "day" : periodOfDay(bucket, "day");
  const { ofDays, ofRows, aggregates } = also === undefined ? NO_COLUMNS : MORE_COLUMNS[also];
  const rows = (condition: string, are: "counted" | "earlier", day?: string): string =>
    // Sorting the rows of one day by their period would take as long as adding them.
    `SELECT period, ${are === "counted"} AS counted, ${columns("ms")}${ofRows}
     FROM (SELECT ${day ?? periodSql(bucket)} AS period, ${daySumsOf(levelColumn)}${aggregates}
       FROM interactions WHERE ${user} ${condition} ${day === undefined ? "GROUP BY 1" : "HAVING count(*) > 0"})`;
  const read = (are: "counted" | "earlier"): string[] => [
    ...([1, 2] as const).map((which) =>
      rows(rowsOfDays(days, which, are), are, bucket === "hour" ? undefined : periodOfDay(bucket, `@from${which}`)),
    ),
    rows(rowsOfTail(are), are),
  ];
  return [
    `SELECT ${period} AS period, ${IS_COUNTED_DAY} AS counted, ${columns("ms + ms_lost")}${ofDays}
      FROM ${table} WHERE ${user} ${IS_WHOLE_DAY}`,
    ...read("counted"),
    ...(hasEarlier ? read("earlier") : []),
  ].join("\n    UNION ALL ");
}
