import type { Database, Statement } from "../sqlite/open_database.ts";
import {
  countOfLevel,
  isLevel,
  MEAN_RESPONSE_TIME,
  type Scaled,
  SCALED_MEAN,
  SUCCESS_RATE,
  withFiniteMean,
} from "./aggregates.ts";
import { LEVELS } from "./arguments.ts";
import { lazy } from "../runtime/lazy.ts";
import type { LevelColumn } from "./schema.ts";
import type { GlobalStats, UserStats } from "./stats.ts";
import type { Range } from "./time_range.ts";
import { MOMENT } from "./trends/time_sql.ts";
import { withoutMissingLevel } from "./user_stats.ts";

/** Statistics of the interactions between two moments, without those that have no readable time (ruling U-ranges). */
export interface RangeQueries {
  userBetween(userId: string, range: Range): UserStats;
  globalBetween(range: Range): GlobalStats;
}

/** Computes them from all rows. This defines the correct answers; the rollup gives the same ones faster. */
export function rangeQueries(database: Database, levelColumn: LevelColumn): RangeQueries {
  const inRange = "moment >= @since AND moment < @until";
  const timestamp = (order: string): string =>
    `(SELECT CAST(timestamp AS TEXT) FROM counted ORDER BY moment ${order}, id ${order} LIMIT 1)`;
  const user = lazy(
    () =>
      database.prepare(
        `WITH counted AS MATERIALIZED (
           SELECT * FROM (SELECT id, ${levelColumn}, success, response_time_ms, timestamp, ${MOMENT} AS moment
             FROM interactions WHERE user_id = @user) WHERE ${inRange}
         )
         SELECT count(*) AS total_operations, ${SUCCESS_RATE} AS success_rate, ${MEAN_RESPONSE_TIME} AS avg_response_time_ms,
           ${LEVELS.map((level) => `${countOfLevel(levelColumn, level)} AS level_${level}_count`).join(", ")},
           (SELECT ${levelColumn} FROM counted WHERE ${isLevel(levelColumn)} ORDER BY id DESC LIMIT 1) AS current_level,
           ${timestamp("")} AS first_use, ${timestamp("DESC")} AS last_use, ${SCALED_MEAN} AS scaled
         FROM counted`,
      ) as Statement<[Range & { user: string }], UserStats & Scaled & { current_level: number | null }>,
  );
  const global = lazy(
    () =>
      database.prepare(
        `SELECT count(DISTINCT user_id) AS total_users, count(*) AS total_interactions, ${SUCCESS_RATE} AS success_rate
         FROM interactions WHERE ${MOMENT} >= @since AND ${MOMENT} < @until`,
      ) as Statement<[Range], GlobalStats>,
  );
  return {
    userBetween: (userId, range) =>
      withoutMissingLevel(
        withFiniteMean(user().get({ user: userId, ...range }) as UserStats & Scaled & { current_level: number | null }),
      ),
    globalBetween: (range) => global().get({ ...range }) as GlobalStats,
  };
}
