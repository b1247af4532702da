import type { Database, Statement } from "../sqlite/open_database.ts";
import { countOfLevel, currentLevel, MEAN_RESPONSE_TIME, MEASURED, SCALE, SUCCESS_RATE } from "./aggregates.ts";
import { LEVELS } from "./arguments.ts";
import { type BreakdownQueries, breakdownQueries } from "./breakdown/breakdown_queries.ts";
import { type PercentileQueries, percentileQueries } from "./breakdown/percentile_queries.ts";
import { type ListQueries, listQueries } from "./listing/list_queries.ts";
import { type RangeQueries, rangeQueries } from "./range_queries.ts";
import { askableUsers, knownUser, withoutMissingLevel } from "./user_stats.ts";
import type { LevelColumn } from "./schema.ts";
import type { GlobalStats, UserStats } from "./stats.ts";
import { type TrendQueries, trendQueries } from "./trends/trend_queries.ts";

/** Statistics from prepared queries. */
export interface StatisticsQueries extends TrendQueries {
  user(userId: string): UserStats;
  global(): GlobalStats;
  users(): string[];
}

/** All questions that a collector answers. */
export interface CollectorQueries
  extends StatisticsQueries, RangeQueries, BreakdownQueries, PercentileQueries, ListQueries {
  /** Lets several questions see the data of one moment. */
  atOneMoment<Answer>(questions: () => Answer): Answer;
}

/** Computes statistics from all rows. This defines the correct answers; the rollup gives the same ones faster. */
export function statisticsQueries(database: Database, levelColumn: LevelColumn): CollectorQueries {
  const perLevel = LEVELS.map((level) => `${countOfLevel(levelColumn, level)} AS level_${level}_count`);
  const user = database.prepare(
    `SELECT count(*) AS total_operations, ${SUCCESS_RATE} AS success_rate, ${MEAN_RESPONSE_TIME} AS avg_response_time_ms,
       ${perLevel.join(", ")},
       ${currentLevel(levelColumn, "@user")} AS current_level,
       CAST(min(timestamp) AS TEXT) AS first_use, CAST(max(timestamp) AS TEXT) AS last_use
     FROM interactions WHERE user_id = @user`,
  ) as Statement<[{ user: string }], UserStats & { current_level: number | null }>;
  const scaledMean = database
    .prepare(`SELECT avg(response_time_ms / ${SCALE}.0) FROM interactions WHERE user_id = ? AND ${MEASURED}`)
    .pluck() as Statement<[string], number>;
  const global = database.prepare(
    `SELECT count(DISTINCT user_id) AS total_users, count(*) AS total_interactions, ${SUCCESS_RATE} AS success_rate FROM interactions`,
  ) as Statement<[], GlobalStats>;
  const users = database
    .prepare(
      "SELECT DISTINCT CAST(user_id AS TEXT) AS user_id FROM interactions WHERE typeof(user_id) NOT IN ('null', 'blob') ORDER BY 1",
    )
    .pluck() as Statement<[], string | null>;
  const isKnown = knownUser(database);
  return {
    user: (userId) => {
      const row = user.get({ user: userId }) as UserStats & { current_level: number | null };
      // The mean is finite even if the sum is beyond the range of a double.
      if (!Number.isFinite(row.avg_response_time_ms))
        row.avg_response_time_ms = (scaledMean.get(userId) as number) * SCALE;
      return withoutMissingLevel(row);
    },
    global: () => global.get() as GlobalStats,
    // BINARY collation compares UTF-8 bytes, which is the order of code points (ruling U-users-order).
    users: () => askableUsers(users.all(), isKnown),
    ...rangeQueries(database, levelColumn),
    ...breakdownQueries(database),
    ...percentileQueries(database),
    atOneMoment: (questions) => database.transaction(questions)(),
    ...listQueries(database, levelColumn),
    ...trendQueries(database, levelColumn),
  };
}
