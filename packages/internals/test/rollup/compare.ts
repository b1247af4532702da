import { isDeepStrictEqual } from "node:util";
import { MEAN_TOLERANCE } from "../../src/metrics/rollup/audit_sql.ts";
import type { BreakdownRow } from "../../src/metrics/breakdown/breakdown.ts";
import type { AskedBreakdown } from "../../src/metrics/breakdown/breakdown_arguments.ts";
import type { ChosenRows } from "../../src/metrics/chosen_rows.ts";
import type { OverviewQueries } from "../../src/metrics/overview_stats.ts";
import type { CollectorQueries } from "../../src/metrics/statistics.ts";
import { type AskedTrend, askedTrend } from "../../src/metrics/trends/trend_arguments.ts";
import { DEFAULT_FIGURES } from "../../src/metrics/trends/trust.ts";

/**
 * Compares answers from the rollup with the correct ones from all rows.
 *
 * @param others Users to ask about in addition to those with rows.
 * @param withKeys True to compare breakdowns by {@link BREAKDOWN_KEYS}, and percentiles.
 * @returns Differences in words; empty if there is no difference.
 */
export function differences(
  rollup: CollectorQueries & OverviewQueries,
  allRows: CollectorQueries & OverviewQueries,
  others: readonly string[] = [],
  withKeys: boolean = false,
): string[] {
  const found: string[] = [];
  const compare = (what: string, got: unknown, expected: unknown): void => {
    if (isDeepStrictEqual(got, expected)) return;
    found.push(`${what}: ${JSON.stringify(got)} from the rollup, ${JSON.stringify(expected)} from all rows`);
  };
  compare("global", rollup.global(), allRows.global());
  const users = allRows.users();
  compare("users", rollup.users(), users);
  for (const user of new Set([...users, ...others])) {
    const [got, expected] = [rollup.user(user), allRows.user(user)];
    compare(`user ${JSON.stringify(user)}`, withMeanOf(expected, got), expected);
  }
  const all = allRows.overview();
  compare("overview", withMeanOf(all, rollup.overview()), all);
  const listed = allRows.topUsers(20);
  compare(
    "top users",
    rollup.topUsers(20).map((user, index) => withMeanOf(listed[index] ?? user, user)),
    listed,
  );
  for (const asked of withKeys ? breakdowns([undefined, ...users.slice(0, 2)]) : []) {
    const expected = allRows.breakdown(asked);
    const close = rollup.breakdown(asked).map((row, index) => withMeansOf(expected[index] ?? row, row));
    compare(`breakdown ${JSON.stringify(asked)}`, close, expected);
  }
  for (const user of withKeys ? [undefined, ...users.slice(0, 2)] : []) {
    const comparePercentiles = (asked: ChosenRows): void =>
      compare(`percentiles of ${JSON.stringify(asked)}`, rollup.percentiles(asked), allRows.percentiles(asked));
    comparePercentiles({ user, range: undefined });
    for (const { bucket, since, until } of TRENDS.slice(2, 4)) {
      const asked = { user, range: { since, until } };
      comparePercentiles(asked);
      const [got, expected] = [rollup, allRows].map((queries) => queries.percentilesByPeriod(asked, bucket));
      compare(`percentiles by ${bucket} of ${JSON.stringify(asked)}`, got, expected);
    }
  }
  for (const asked of TRENDS) {
    const name = JSON.stringify(asked);
    compare(`global between ${name}`, rollup.globalBetween(asked), allRows.globalBetween(asked));
    for (const user of new Set([...users, ...others])) {
      const [got, expected] = [rollup.userBetween(user, asked), allRows.userBetween(user, asked)];
      compare(`user ${JSON.stringify(user)} between ${name}`, withMeanOf(expected, got), expected);
    }
    const compareTrend = (what: string, got: readonly Mean[], expected: readonly Mean[]): void => {
      const close = got.map((period, index) => withMeanOf(expected[index] ?? period, period));
      compare(`${what} ${name}`, close, expected);
    };
    compareTrend("global trend", rollup.globalTrend(asked), allRows.globalTrend(asked));
    for (const user of new Set([...users, ...others])) {
      const trend = { ...asked, trust: DEFAULT_FIGURES };
      compareTrend(`trend of ${JSON.stringify(user)}`, rollup.userTrend(user, trend), allRows.userTrend(user, trend));
    }
  }
  return found;
}

/** Keys and numbers of breakdowns that are compared: declared ones, with values of all kinds. */
export const BREAKDOWN_KEYS = { keys: ["tool", "n"], numbers: ["cost"] } as const;

function breakdowns(users: readonly (string | undefined)[]): AskedBreakdown[] {
  const ranges = [undefined, ...TRENDS.slice(3, 4).map(({ since, until }) => ({ since, until }))];
  return [...new Set(users)].flatMap((user) =>
    ranges.flatMap((range) => [
      { key: "tool", user, range, limit: 2, numbers: ["cost"] },
      { key: "n", user, range, limit: 100, numbers: [] },
    ]),
  );
}

/** The row with the other's means and sums that are equal within the tolerance. */
function withMeansOf(expected: BreakdownRow, got: BreakdownRow): BreakdownRow {
  const [numbers, other] = [got.numbers?.["cost"], expected.numbers?.["cost"]];
  const mean = withMeanOf(expected, got);
  if (numbers === undefined || other === undefined) return mean;
  // Sums of numbers with both signs: errors are relative to the numbers.
  const close = Math.abs(numbers.sum - other.sum) <= MEAN_TOLERANCE * LARGEST_COST * Math.max(1, other.count);
  return close && numbers.count === other.count ? { ...mean, numbers: { cost: other } } : mean;
}

/** Absolute limit of the costs that changes of rows store. */
export const LARGEST_COST = 1e6;

/** Periods and limits: whole days, hours within days, limits in the middle of an hour, and both within one hour. */
const TRENDS: readonly AskedTrend[] = [
  { bucket: "day" } as const,
  { bucket: "month", since: "2024-01-01", until: "2024-02-01" } as const,
  { bucket: "hour", since: "2023-11-14T22:13:20", until: "2024-01-02" } as const,
  { bucket: "week", since: "2024-01-01T10:30:00", until: "2025-06-01T10:00:00.1" } as const,
  { bucket: "day", since: "2024-01-02T23:30:00", until: "2024-01-02T23:45:00" } as const,
].map(askedTrend);

type Mean = { avg_response_time_ms: number };

/** The answer with the other's mean if the two are equal within the tolerance. */
function withMeanOf<Answer extends Mean>(expected: Mean, got: Answer): Answer {
  const [mean, other] = [got.avg_response_time_ms, expected.avg_response_time_ms];
  const close = Math.abs(mean - other) <= MEAN_TOLERANCE * Math.abs(other);
  return close ? { ...got, avg_response_time_ms: other } : got;
}
