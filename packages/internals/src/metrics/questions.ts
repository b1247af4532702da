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
  /** Returns the statistics of one user (specification, section 2.6), of all time or between two moments. */
  getUserStats(userId: string, options?: StatisticsOptions): UserStats & Partial<Percentiles>;
  /** Returns the statistics over all users (specification, section 2.7), of all time or between two moments. */
  getGlobalStats(options?: StatisticsOptions): GlobalStats & Partial<Percentiles>;
  /** Returns the ids of all users with an interaction. */
  getAllUsers(): string[];
  /** Returns the interactions of one user by hour, day, week or month, with trust. */
  getUserTrend(userId: string, options?: UserTrendOptions): (UserTrendPeriod & Partial<Percentiles>)[];
  /** Returns the interactions of all users by hour, day, week or month. */
  getGlobalTrend(options?: TrendOptions): (TrendPeriod & Partial<Percentiles>)[];
  /** Returns figures for each value that interactions have under a key of their metadata. */
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
