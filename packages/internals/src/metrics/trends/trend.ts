import type { LevelCounts } from "../stats.ts";
import type { RangeOptions } from "../time_range.ts";
import type { TrustFigures } from "./trust.ts";

/** Length of the periods of a trend. Weeks begin on Monday. */
export type Bucket = "hour" | "day" | "week" | "month";

/** Settings of `getGlobalTrend`, and of `getUserTrend` together with {@link TrustFigures}. */
export interface TrendOptions extends RangeOptions {
  /** Length of the periods; `day` by default. */
  bucket?: Bucket | undefined;
  /** True to add the percentiles `p50`, `p95` and `p99` of the response times. Rows are read for them; see `getUserStats`. */
  percentiles?: boolean | undefined;
}

/** Settings of `getUserTrend`. */
export interface UserTrendOptions extends TrendOptions {
  /** Figures of the trust trajectory; see {@link TrustFigures}. */
  trust?: Partial<TrustFigures> | undefined;
}

/** The interactions of one period. */
export interface TrendPeriod extends LevelCounts {
  /**
   * Start of the period in UTC: `YYYY-MM-DDTHH:00:00` for an hour, `YYYY-MM-DD` for a day, for a week (its Monday) and
   * for a month (its first day).
   */
  period: string;
  /** Number of interactions; at least 1. */
  total_operations: number;
  /** Fraction of successful interactions, 0 to 1. */
  success_rate: number;
  /**
   * Mean response time in milliseconds over the interactions with a finite response time; 0 without such interactions.
   */
  avg_response_time_ms: number;
}

/** The interactions of one user in one period. */
export interface UserTrendPeriod extends TrendPeriod {
  /** Trust at the end of the period, 0 to 1; see {@link TrustFigures}. */
  trust: number;
}
