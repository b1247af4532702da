import type { UserTrendPeriod } from "@perdura/internals/metrics/trends/trend.js";
import { askedUserTrend } from "@perdura/internals/metrics/trends/trend_arguments.js";
import type { Range } from "@perdura/internals/metrics/time_range.js";
import type { UserReport } from "./document.ts";
import { metricsBetween } from "./one_period.ts";
import { shownRange } from "./shown_range.ts";
import type { MetricsSource } from "./source.ts";
import { summarizeMetrics } from "./summarize_metrics.ts";

/** Number of values of each key in the report about a user. */
const VALUES = 100;

/**
 * Summarises the interactions of one user, and lists the newest of them.
 *
 * @param limit Maximum number of listed interactions.
 * @param range The moments between which they are counted; undefined for all.
 * @returns Undefined for a user without interactions.
 */
export async function summarizeUser(
  source: MetricsSource,
  userId: string,
  limit: number,
  range: Range | undefined,
): Promise<UserReport | undefined> {
  if ((await source.statistics.user(userId)).total_operations === 0) return undefined;
  const { statistics } = metricsBetween(source, range);
  return {
    range: shownRange(range),
    metrics: await summarizeMetrics(
      { ...source, statistics: statisticsOfUser(statistics, userId) },
      { rows: VALUES, trajectories: 1 },
    ),
    interactions: await statistics.newestOf(userId, limit),
  };
}

/** The same questions about one user, as if no other one were stored. */
function statisticsOfUser(all: MetricsSource["statistics"], user: string): MetricsSource["statistics"] {
  const listed = async () => ({ user_id: user, ...(await all.user(user)) });
  return {
    ...all,
    overview: async () => {
      const { total_operations: operations, current_level: _level, user_id: _id, ...figures } = await listed();
      const months = await all.userTrend(user, askedUserTrend({ bucket: "month" }));
      return { users: 1, operations, without_time: operations - operationsIn(months), ...figures };
    },
    topUsers: async () => [await listed()],
    globalTrend: (asked) => all.userTrend(user, { ...askedUserTrend({}), ...asked }),
    breakdown: (asked) => all.breakdown({ ...asked, user }),
    percentiles: (chosen) => all.percentiles({ ...chosen, user }),
    percentilesByPeriod: (chosen, bucket) => all.percentilesByPeriod({ ...chosen, user }, bucket),
    percentilesByUser: async () => new Map([[user, await all.percentiles({ user, range: undefined })]]),
  };
}

function operationsIn(periods: readonly UserTrendPeriod[]): number {
  return periods.reduce((sum, { total_operations }) => sum + total_operations, 0);
}
