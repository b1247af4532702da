import { ALWAYS, type Range } from "@perdura/internals/metrics/time_range.js";
import type { MetricsSource } from "./source.ts";

type Statistics = MetricsSource["statistics"];

/**
 * The interactions between two moments, as if no other ones were stored, except that trust comes from the earlier ones, too.
 *
 * @param range Undefined for all interactions, also those without a readable time.
 */
export function metricsBetween(source: MetricsSource, range: Range | undefined): MetricsSource {
  return range === undefined ? source : { ...source, statistics: statisticsBetween(source.statistics, range) };
}

function statisticsBetween(all: Statistics, range: Range): Statistics {
  const narrowed = ({ since, until }: Range = ALWAYS): Range => ({
    since: since > range.since ? since : range.since,
    until: until < range.until ? until : range.until,
  });
  return {
    ...all,
    user: (userId) => all.userBetween(userId, range),
    global: () => all.globalBetween(range),
    overview: () => all.overviewBetween(range),
    topUsers: async (limit) => {
      const ids = await all.topUsersBetween(range, limit);
      const users = [];
      for (const user_id of ids) users.push({ user_id, ...(await all.userBetween(user_id, range)) });
      return users;
    },
    globalTrend: (asked) => all.globalTrend({ ...asked, ...narrowed(asked) }),
    userTrend: (userId, asked) => all.userTrend(userId, { ...asked, ...narrowed(asked) }),
    breakdown: (asked) => all.breakdown({ ...asked, range: narrowed(asked.range) }),
    percentiles: (chosen) => all.percentiles({ ...chosen, range: narrowed(chosen.range) }),
    percentilesByPeriod: (chosen, bucket) =>
      all.percentilesByPeriod({ ...chosen, range: narrowed(chosen.range) }, bucket),
    percentilesByUser: () => all.percentilesByUser(range),
    newestOf: (userId, limit) => all.newestOf(userId, limit, range),
  };
}
