import type { BreakdownOptions, BreakdownRow } from "./breakdown/breakdown.ts";
import type { Percentiles } from "./breakdown/percentiles.ts";
import type { GlobalStats, UserStats } from "./stats.ts";
import type { StatisticsOptions } from "./time_range.ts";
import type { TrendOptions, TrendPeriod, UserTrendOptions, UserTrendPeriod } from "./trends/trend.ts";

/**
 * The questions of a collector, with their arguments. The collectors of both lines, the asynchronous form, PostgreSQL and
 * the programs that take any of them are compiled against it.
 */
export interface MetricsQuestions {
  getUserStats(userId: string, options?: StatisticsOptions): UserStats & Partial<Percentiles>;
  getGlobalStats(options?: StatisticsOptions): GlobalStats & Partial<Percentiles>;
  getAllUsers(): string[];
  getUserTrend(userId: string, options?: UserTrendOptions): (UserTrendPeriod & Partial<Percentiles>)[];
  getGlobalTrend(options?: TrendOptions): (TrendPeriod & Partial<Percentiles>)[];
  getBreakdown(key: string, options?: BreakdownOptions): BreakdownRow[];
}

/** The same questions, answered with promises. */
export type AsyncQuestions = {
  [Question in keyof MetricsQuestions]: (
    ...given: Parameters<MetricsQuestions[Question]>
  ) => Promise<ReturnType<MetricsQuestions[Question]>>;
};

/** The same questions, answered in either way. */
export type AnyQuestions = {
  [Question in keyof MetricsQuestions]: (
    ...given: Parameters<MetricsQuestions[Question]>
  ) => ReturnType<MetricsQuestions[Question]> | Promise<ReturnType<MetricsQuestions[Question]>>;
};
