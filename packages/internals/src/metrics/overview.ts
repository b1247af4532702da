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
import type { LevelColumn } from "./schema.ts";
import type { ListedUser, Overview, OverviewQueries } from "./overview_stats.ts";
import { DAY } from "./trends/time_sql.ts";

/** Computes an overview from all rows. This defines the correct answers; the rollup gives the same ones faster. */
export function overviewQueries(database: Database, levelColumn: LevelColumn): OverviewQueries {
  const means = `${SUCCESS_RATE} AS success_rate, ${MEAN_RESPONSE_TIME} AS avg_response_time_ms,
    ${LEVELS.map((level) => `${countOfLevel(levelColumn, level)} AS level_${level}_count`).join(", ")}`;
  const ends = `CAST(min(timestamp) AS TEXT) AS first_use, CAST(max(timestamp) AS TEXT) AS last_use,
    ${SCALED_MEAN} AS scaled`;
  const overview = database.prepare(
    `SELECT count(DISTINCT user_id) AS users, count(*) AS operations, ${means},
       count(CASE WHEN ${DAY} IS NULL THEN 1 END) AS without_time, ${ends} FROM interactions`,
  ) as Statement<[], Overview & Scaled>;
  const topUsers = database.prepare(
    `SELECT *, (SELECT ${levelColumn} FROM interactions WHERE id = newest) AS current_level FROM (
       SELECT CAST(user_id AS TEXT) AS user_id, count(*) AS total_operations, ${means},
         max(CASE WHEN ${isLevel(levelColumn)} THEN id END) AS newest, ${ends}
       FROM interactions WHERE user_id IS NOT NULL GROUP BY interactions.user_id ORDER BY 2 DESC, 1 LIMIT ?)`,
  ) as Statement<[number], ListedUser & Scaled & { newest: number | null; current_level: number | null }>;
  return {
    overview: () => withFiniteMean(overview.get() as Overview & Scaled),
    topUsers: (limit) =>
      topUsers.all(limit).map((found) => {
        const { newest: _newest, current_level, first_use, last_use, ...counts } = withFiniteMean(found);
        return { ...counts, ...(current_level === null ? {} : { current_level }), first_use, last_use };
      }),
  };
}
