import { isDeepStrictEqual } from "node:util";
import { MEAN_TOLERANCE } from "../../src/metrics/rollup/audit.ts";
import type { StatisticsQueries, UserStats } from "../../src/metrics/stats.ts";

/**
 * Compares answers from the rollup with the correct ones from all rows.
 *
 * @param others Users to ask about in addition to those with rows.
 * @returns Differences in words; empty if there is no difference.
 */
export function differences(
  rollup: StatisticsQueries,
  allRows: StatisticsQueries,
  others: readonly string[] = [],
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
  return found;
}

/** The answer with the other's mean if the two are equal within the tolerance. */
function withMeanOf(expected: UserStats, got: UserStats): UserStats {
  const [mean, other] = [got.avg_response_time_ms, expected.avg_response_time_ms];
  const close = Math.abs(mean - other) <= MEAN_TOLERANCE * Math.abs(other);
  return close ? { ...got, avg_response_time_ms: other } : got;
}
