import type { Database, Statement } from "../../sqlite/open_database.ts";
import {
  countOfLevel,
  MEAN_RESPONSE_TIME,
  type Scaled,
  SCALED_MEAN,
  SUCCESS_RATE,
  withFiniteMean,
} from "../aggregates.ts";
import { LEVELS } from "../arguments.ts";
import type { LevelColumn } from "../schema.ts";
import { ALWAYS } from "../time_range.ts";
import { MOMENT, periodSql } from "./time_sql.ts";
import type { Bucket, TrendPeriod, UserTrendPeriod } from "./trend.ts";
import type { AskedTrend, AskedUserTrend } from "./trend_arguments.ts";
import { compose, stepOf, trustByPeriod, type TrustPart } from "./trust.ts";

/** Trends from prepared queries. */
export interface TrendQueries {
  userTrend(userId: string, asked: AskedUserTrend): UserTrendPeriod[];
  globalTrend(asked: AskedTrend): TrendPeriod[];
}

type FoundPeriod = TrendPeriod & Scaled;

/** Without limits the times of rows need not be computed: `all` is 1. */
interface Limits {
  since: string;
  until: string;
  all: 0 | 1;
}

interface Queries {
  sumsOfUser: Statement<[Limits & { user: string }], FoundPeriod>;
  sumsOfAll: Statement<[Limits], FoundPeriod>;
  steps: Statement<[Limits & { user: string }], [period: string | null, success: 0 | 1]>;
}

function limitsOf({ since, until }: AskedTrend): Limits {
  return { since, until, all: since === ALWAYS.since && until === ALWAYS.until ? 1 : 0 };
}

/** Computes trends from all rows. This defines the correct answers; the rollup gives the same ones faster. */
export function trendQueries(database: Database, levelColumn: LevelColumn): TrendQueries {
  const prepared = new Map<Bucket, Queries>();
  const queriesOf = (bucket: Bucket): Queries => {
    const known = prepared.get(bucket);
    if (known !== undefined) return known;
    const period = periodSql(bucket);
    const sums = (condition: string): string =>
      `SELECT ${period} AS period, count(*) AS total_operations, ${SUCCESS_RATE} AS success_rate,
         ${MEAN_RESPONSE_TIME} AS avg_response_time_ms,
         ${LEVELS.map((level) => `${countOfLevel(levelColumn, level)} AS level_${level}_count`).join(", ")},
         ${SCALED_MEAN} AS scaled
       FROM interactions WHERE ${condition} (@all OR ${MOMENT} >= @since AND ${MOMENT} < @until)
       GROUP BY 1 HAVING period IS NOT NULL ORDER BY 1`;
    const queries: Queries = {
      sumsOfUser: database.prepare(sums("user_id = @user AND")),
      sumsOfAll: database.prepare(sums("")),
      steps: database
        .prepare(
          `SELECT ${period}, CASE WHEN success THEN 1 ELSE 0 END FROM interactions
           WHERE user_id = @user AND (@all OR ${MOMENT} < @until) ORDER BY id`,
        )
        .raw() as Queries["steps"],
    };
    prepared.set(bucket, queries);
    return queries;
  };
  return {
    // Both queries see the data of one moment.
    userTrend: database.transaction((user: string, asked: AskedUserTrend) => {
      const { sumsOfUser, steps } = queriesOf(asked.bucket);
      const parameters = { user, ...limitsOf(asked) };
      const { trust } = asked;
      const parts: TrustPart[] = [];
      const [success, failure] = [stepOf(true, trust), stepOf(false, trust)];
      for (const [period, succeeded] of steps.iterate(parameters)) {
        if (period === null) continue;
        const step = succeeded === 1 ? success : failure;
        const last = parts.at(-1);
        if (last?.period === period) last.change = compose(last.change, step);
        else parts.push({ period, change: step });
      }
      const trusts = trustByPeriod(parts, trust);
      return sumsOfUser.all(parameters).map((found) => ({
        ...withFiniteMean(found),
        trust: trusts.get(found.period) as number,
      }));
    }),
    globalTrend: (asked) => queriesOf(asked.bucket).sumsOfAll.all(limitsOf(asked)).map(withFiniteMean),
  };
}
