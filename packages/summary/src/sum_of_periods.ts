import type { TrendPeriod } from "@perdura/internals/metrics/trends/trend.js";

/** Figures of several periods together. */
export type PeriodSum = Pick<TrendPeriod, "total_operations" | "success_rate" | "avg_response_time_ms">;

/** Means are weighted by the number of operations; a response time of 0 means that none was recorded. */
export function sumOfPeriods(periods: readonly PeriodSum[]): PeriodSum {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const operations = sum(periods.map(({ total_operations }) => total_operations));
  const timed = periods.filter(({ avg_response_time_ms }) => avg_response_time_ms !== 0);
  const weight = sum(timed.map(({ total_operations }) => total_operations));
  return {
    total_operations: operations,
    success_rate: operations === 0 ? 0 : sum(periods.map(successes)) / operations,
    avg_response_time_ms: sum(timed.map((each) => each.avg_response_time_ms * (each.total_operations / weight))),
  };
}

/** Number of successful operations. */
export function successes({ total_operations, success_rate }: PeriodSum): number {
  return Math.round(total_operations * success_rate);
}
