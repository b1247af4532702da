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
import { daysRead } from "./days_read.ts";
import { lazy } from "../runtime/lazy.ts";
import type { LevelColumn } from "./schema.ts";
import type { ListedUser, Overview, OverviewQueries } from "./overview_stats.ts";
import { DAY, isBetween, isNear } from "./trends/time_sql.ts";

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
  const between = `${isNear("counted")} AND ${isBetween("counted")}`;
  const overviewBetween = lazy(
    () =>
      database.prepare(
        `SELECT count(DISTINCT user_id) AS users, count(*) AS operations, ${means}, 0 AS without_time, ${ends}
         FROM interactions WHERE ${between}`,
      ) as Statement<[object], Overview & Scaled>,
  );
  const topUsersBetween = lazy(
    () =>
      database
        .prepare(
          `SELECT CAST(user_id AS TEXT) FROM interactions WHERE typeof(user_id) NOT IN ('null', 'blob') AND ${between}
           GROUP BY interactions.user_id ORDER BY count(*) DESC, 1 LIMIT @limit`,
        )
        .pluck() as Statement<[object], string>,
  );
  return {
    overview: () => withFiniteMean(overview.get() as Overview & Scaled),
    overviewBetween: (range) => withFiniteMean(overviewBetween().get(daysRead(range)) as Overview & Scaled),
    topUsersBetween: (range, limit) => topUsersBetween().all({ ...daysRead(range), limit }),
    topUsers: (limit) =>
      topUsers.all(limit).map((found) => {
        const { newest: _newest, current_level, first_use, last_use, ...counts } = withFiniteMean(found);
        return { ...counts, ...(current_level === null ? {} : { current_level }), first_use, last_use };
      }),
  };
}
