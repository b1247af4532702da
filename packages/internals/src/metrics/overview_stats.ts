import type { LevelCounts, UserStats } from "./stats.ts";
import type { Range } from "./time_range.ts";

/** Statistics over all users with everything that the rows contain. */
export interface Overview extends LevelCounts {
  users: number;
  operations: number;
  /** 0 to 1. */
  success_rate: number;
  /** Milliseconds. */
  avg_response_time_ms: number;
  /** Number of interactions without a readable time. */
  without_time: number;
  first_use: string | null;
  last_use: string | null;
}

/** Statistics of a user, with the id. */
export interface ListedUser extends UserStats {
  user_id: string;
}

/** Statistics for a program that shows what is stored. */
export interface OverviewQueries {
  overview(): Overview;
  /** Users with the most interactions first, users with equal numbers in the order of code points. */
  topUsers(limit: number): ListedUser[];
  /** The overview of the interactions between two moments. */
  overviewBetween(range: Range): Overview;
  /** Ids of the users with the most interactions between two moments, in the same order. */
  topUsersBetween(range: Range, limit: number): string[];
}
