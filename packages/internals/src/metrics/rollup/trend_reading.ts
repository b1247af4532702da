import type { Database, Statement } from "../../sqlite/open_database.ts";
import type { LevelColumn } from "../schema.ts";
import type { LevelCounts } from "../stats.ts";
import { DAY, MOMENT, periodOfDay, periodSql } from "../trends/time_sql.ts";
import type { Bucket, TrendPeriod, UserTrendPeriod } from "../trends/trend.ts";
import type { AskedTrend, AskedUserTrend } from "../trends/trend_arguments.ts";
import { DEFAULT_FIGURES, trustByPeriod } from "../trends/trust.ts";
import { rate } from "../user_stats.ts";
import { TAIL } from "./reading_sql.ts";
import { DAY_COUNTS, daySumsOf } from "./sums_sql.ts";
import { changeOfColumns, changeOfOutcomes, OUTCOMES, TRUST_COLUMNS } from "./trust_columns.ts";

/** Trends from the sums of days and the rows above the watermark. The caller holds a transaction. */
export interface TrendReading {
  /** Undefined if only all rows can give the answer. The user is not stale. */
  userTrend(userId: string, asked: AskedUserTrend): UserTrendPeriod[] | undefined;
  /** Undefined if only all rows can give the answer. No user is stale. */
  globalTrend(asked: AskedTrend): TrendPeriod[] | undefined;
}

/** Sums of interactions of one period. */
interface Part extends LevelCounts {
  period: string;
  /** 0 for interactions before `since`. */
  counted: 0 | 1;
  operations: number;
  successes: number;
  measured: number;
  negative: number;
  /** Null if the sum is beyond the range of a double. */
  ms: number | null;
}

/** A part of a user: stored with its effect on trust, or counted with its outcomes. */
interface UserPart extends Part, Record<(typeof TRUST_COLUMNS)[number], number> {
  outcomes: string | null;
  /** Lowest and highest id; rounded if they are beyond 2^53. */
  first_id: number;
  last_id: number;
}

/** Days whose rows are read, because a period or a limit is shorter than a day. */
interface DayRange {
  from: string;
  to: string;
}

/** A range without a day. */
const NO_DAYS: DayRange = { from: "~", to: "" };

interface Parameters {
  since: string;
  until: string;
  from1: string;
  to1: string;
  from2: string;
  to2: string;
}

interface Queries {
  user: Statement<[Parameters & { user: string }], UserPart>;
  global: Statement<[Parameters], Part>;
}

export function prepareTrendReading(database: Database, levelColumn: LevelColumn): TrendReading {
  const prepared = new Map<Bucket, Queries>();
  const queriesOf = (bucket: Bucket): Queries => {
    const known = prepared.get(bucket);
    if (known !== undefined) return known;
    const queries: Queries = {
      user: database.prepare(userParts(bucket, levelColumn)),
      global: database.prepare(parts({ bucket, levelColumn, table: "perdura_days", user: "", trust: false })),
    };
    prepared.set(bucket, queries);
    return queries;
  };
  return {
    userTrend: (user, asked) => {
      const { gain, loss } = asked.trust;
      if (gain !== DEFAULT_FIGURES.gain || loss !== DEFAULT_FIGURES.loss) return undefined;
      const found = queriesOf(asked.bucket).user.all({ user, ...parametersOf(asked) });
      if (overlap(found)) return undefined;
      const trusts = trustByPeriod(
        found.map((part) => ({
          period: part.period,
          change: part.outcomes === null ? changeOfColumns(part) : changeOfOutcomes(part.outcomes),
        })),
        asked.trust,
      );
      return periodsOf(found)?.map((period) => ({ ...period, trust: trusts.get(period.period) as number }));
    },
    globalTrend: (asked) => periodsOf(queriesOf(asked.bucket).global.all(parametersOf(asked))),
  };
}

/**
 * True if the ids of parts overlap, so that their effects on trust cannot be composed. Rounding of ids can only make
 * parts overlap that do not.
 */
function overlap(inOrder: readonly UserPart[]): boolean {
  let highest = -Infinity;
  return inOrder.some(({ first_id, last_id }) => {
    if (first_id <= highest) return true;
    highest = last_id;
    return false;
  });
}

/** Adds the parts of each period; undefined if only all rows can give a mean. */
function periodsOf(found: readonly Part[]): TrendPeriod[] | undefined {
  const sums = new Map<string, Part & { ms: number }>();
  for (const part of found) {
    if (part.counted === 0) continue;
    // A sum with cancellation is only correct if all rows are added at once.
    if (part.negative > 0 || part.ms === null || !Number.isFinite(part.ms)) return undefined;
    const known = sums.get(part.period);
    if (known === undefined) sums.set(part.period, { ...part, ms: part.ms });
    else for (const sum of SUMMED) known[sum] += part[sum] as number;
  }
  const periods = [...sums.values()].toSorted((one, other) => (one.period < other.period ? -1 : 1));
  if (!periods.every(({ ms }) => Number.isFinite(ms))) return undefined;
  return periods.map(({ period, operations, successes, measured, ms, ...part }) => ({
    period,
    total_operations: operations,
    success_rate: rate(successes, operations),
    avg_response_time_ms: rate(ms, measured),
    level_1_count: part.level_1_count,
    level_2_count: part.level_2_count,
    level_3_count: part.level_3_count,
    level_4_count: part.level_4_count,
    level_5_count: part.level_5_count,
  }));
}

const SUMMED = [
  "operations",
  "successes",
  "measured",
  "ms",
  "level_1_count",
  "level_2_count",
  "level_3_count",
  "level_4_count",
  "level_5_count",
] as const satisfies (keyof Part)[];

function parametersOf({ bucket, since, until }: AskedTrend): Parameters {
  const [first = NO_DAYS, second = NO_DAYS] = daysOfRows(bucket, since, until);
  return { since, until, from1: first.from, to1: first.to, from2: second.from, to2: second.to };
}

function daysOfRows(bucket: Bucket, since: string, until: string): DayRange[] {
  const [from, to] = [since.slice(0, 10), until.slice(0, 10)];
  if (bucket === "hour") return [{ from, to }];
  const days = [since, until].filter((moment) => !moment.endsWith(MIDNIGHT)).map((moment) => moment.slice(0, 10));
  return [...new Set(days)].map((day) => ({ from: day, to: day }));
}

const MIDNIGHT = "T00:00:00.000";

/** SQL for the parts of a user, in the order of their ids. */
function userParts(bucket: Bucket, levelColumn: LevelColumn): string {
  // SQLite would plan the query again for each value of a parameter that is compared with an indexed column.
  const user = "user_id = (SELECT @user) AND";
  const found = parts({ bucket, levelColumn, table: "perdura_user_days", user, trust: true });
  return `${found} ORDER BY first_id, last_id`;
}

interface PartsSql {
  bucket: Bucket;
  levelColumn: LevelColumn;
  /** The table of the sums of days. */
  table: string;
  /** Condition for the user, with AND. */
  user: string;
  /** True to select what trust is computed from. */
  trust: boolean;
}

/** SQL for the parts: stored sums of whole days, rows of other days, and rows above the watermark. */
function parts({ bucket, levelColumn, table, user, trust }: PartsSql): string {
  const watermark = "(SELECT watermark FROM perdura_rollup)";
  const columns = (ms: string): string => `${DAY_COUNTS.join(", ")}, ${ms} AS ms, first_id, last_id`;
  // Only days before `since` are stored sums in a trend by hours.
  const period = bucket === "hour" ? "day" : periodOfDay(bucket, "day");
  const startOfDay = `day || '${MIDNIGHT}'`;
  const rows = (condition: string): string =>
    `SELECT period, counted, ${columns("ms")}${trust ? ", NULL, NULL, NULL, outcomes" : ""}
     FROM (SELECT ${periodSql(bucket)} AS period, ${MOMENT} >= @since AS counted, ${daySumsOf(levelColumn)}${trust ? `, ${OUTCOMES}` : ""}
       FROM interactions WHERE ${user} ${condition} AND ${MOMENT} < @until GROUP BY 1, 2)`;
  const inRange = (which: 1 | 2): string => {
    const ids = (id: string): string =>
      `(SELECT ${id} FROM ${table} WHERE ${user} day BETWEEN @from${which} AND @to${which} AND ${startOfDay} < @until)`;
    return `id BETWEEN ${ids("min(first_id)")} AND ${ids("max(last_id)")} AND id <= ${watermark}
      AND ${DAY} BETWEEN @from${which} AND @to${which}`;
  };
  return `SELECT ${period} AS period, ${startOfDay} >= @since AS counted, ${columns("ms + ms_lost")}${trust ? `, ${TRUST_COLUMNS.join(", ")}, NULL AS outcomes` : ""}
      FROM ${table} WHERE ${user} ${startOfDay} < @until
        AND NOT day BETWEEN @from1 AND @to1 AND NOT day BETWEEN @from2 AND @to2
    UNION ALL ${rows(inRange(1))}
    UNION ALL ${rows(inRange(2))}
    UNION ALL ${rows(TAIL)}`;
}
