import type { Database, Statement } from "../../sqlite/open_database.ts";
import type { ListedUser, Overview } from "../overview_stats.ts";
import type { LevelColumn } from "../schema.ts";
import { DAY } from "../trends/time_sql.ts";
import { rate, type UserCounts, userStats } from "../user_stats.ts";
import { BY_ID, TAIL } from "./reading_sql.ts";
import { COUNTS, sumsOf } from "./sums_sql.ts";

/** An overview from the sums of users and the rows above the watermark. The caller holds a transaction. */
export interface OverviewReading {
  /** Undefined if only all rows can give the mean. No user is stale; the same applies to `topUsers`. */
  overview(): Overview | undefined;
  topUsers(limit: number): ListedUser[] | undefined;
}

interface Sums {
  measured: number;
  /** Null if only all rows can give the mean. */
  ms: number | null;
}

type FoundUser = UserCounts & Sums & { user_id: string };
type FoundOverview = Sums & { users: number; successes: number } & Omit<
    Overview,
    "success_rate" | "avg_response_time_ms"
  >;

export function prepareOverviewReading(database: Database, levelColumn: LevelColumn): OverviewReading {
  const users = everyUser(levelColumn);
  const overview = database.prepare(
    `SELECT count(*) AS users, ${COUNTS.map((count) => `coalesce(sum(${count}), 0) AS ${count}`).join(", ")},
       CASE WHEN count(ms) = count(*) THEN total(ms) END AS ms, CAST(min(first_use) AS TEXT) AS first_use,
       CAST(max(last_use) AS TEXT) AS last_use,
       coalesce(sum(operations), 0) - (SELECT coalesce(sum(operations), 0) FROM perdura_days)
         - (SELECT count(${DAY}) FROM interactions WHERE ${TAIL}) AS without_time
     FROM (${users})`,
  ) as Statement<[], FoundOverview>;
  const topUsers =
    database.prepare(`SELECT user_id, ${COUNTS.join(", ")}, ms, current_level, CAST(first_use AS TEXT) AS first_use,
       CAST(last_use AS TEXT) AS last_use
     FROM (${users}) ORDER BY operations DESC, user_id LIMIT ?`) as Statement<[number], FoundUser>;
  return {
    overview: () => {
      const found = overview.get() as FoundOverview;
      if (!hasMean(found)) return undefined;
      const { ms, measured, successes, ...counts } = found;
      return {
        ...counts,
        success_rate: rate(successes, counts.operations),
        avg_response_time_ms: rate(ms, measured),
      };
    },
    topUsers: (limit) => {
      const found = topUsers.all(limit);
      if (!found.every(hasMean)) return undefined;
      return found.map((user) => ({
        user_id: user.user_id,
        ...userStats(user, rate(user.ms as number, user.measured)),
      }));
    },
  };
}

function hasMean<Found extends Sums>(sums: Found): sums is Found & { ms: number } {
  return sums.ms !== null && Number.isFinite(sums.ms);
}

/** SQL for the sums of every user, including the rows above the watermark. */
function everyUser(levelColumn: LevelColumn): string {
  const sums = COUNTS.join(", ");
  return `SELECT CAST(user_id AS TEXT) AS user_id, ${COUNTS.map((count) => `sum(${count}) AS ${count}`).join(", ")},
      CASE WHEN count(ms) = count(*) THEN sum(ms) END AS ms,
      coalesce(max(CASE WHEN tail THEN current_level END), max(CASE WHEN NOT tail THEN current_level END)) AS current_level,
      min(first_use) AS first_use, max(last_use) AS last_use
    FROM (
      SELECT 0 AS tail, user_id, ${sums}, ms + ms_lost AS ms, current_level, first_use, last_use FROM perdura_user_rollup
      UNION ALL SELECT 1, user_id, ${sums}, ms, (SELECT ${levelColumn} FROM interactions WHERE id = newest), first_use, last_use
      FROM (SELECT user_id, ${sumsOf(levelColumn)} FROM ${BY_ID} WHERE ${TAIL} GROUP BY user_id)
    ) GROUP BY user_id`;
}
