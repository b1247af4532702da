import { isDeepStrictEqual } from "node:util";
import { MEAN_TOLERANCE } from "../../src/metrics/rollup/audit.ts";
import type { StatisticsQueries, UserStats } from "../../src/metrics/stats.ts";

/**
 * Compares answers from the rollup with those from all rows, which are the truth.
 *
 * @param others Users to ask about beside those that have rows.
 * @returns What differs, in words; empty when nothing does.
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

/** The answer with the other's mean where the two are as good as equal. */
function withMeanOf(expected: UserStats, got: UserStats): UserStats {
  const [mean, other] = [got.avg_response_time_ms, expected.avg_response_time_ms];
  const close = Math.abs(mean - other) <= MEAN_TOLERANCE * Math.abs(other);
  return close ? { ...got, avg_response_time_ms: other } : got;
}
