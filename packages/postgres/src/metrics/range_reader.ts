import type { DaysRead } from "@perdura/internals/metrics/days_read.js";
import { daysRead } from "@perdura/internals/metrics/days_read.js";
import type { GlobalStats, UserStats } from "@perdura/internals/metrics/stats.js";
import type { Range } from "@perdura/internals/metrics/time_range.js";
import { rate, userStats } from "@perdura/internals/metrics/user_stats.js";
import type { Session } from "../connection/connection.ts";
import type { Names } from "../layout/names.ts";

/** Sums of rows. */
export interface FoundSums {
  operations: number;
  successes: number;
  /** Mean response time in decimal digits; null without finite response times. */
  mean: string | null;
  level_1_count: number;
  level_2_count: number;
  level_3_count: number;
  level_4_count: number;
  level_5_count: number;
  /** Number of rows that were counted in addition to the sums. */
  counted: number;
}

/** Statistics, and the number of rows that were counted in addition to the sums. */
interface Read<Stats> {
  stats: Stats;
  counted: number;
}

/** The parameters of the functions that read a range of days. */
export const limitsOf = ({ since, until, from1, to1, from2, to2 }: DaysRead): string[] => [
  since,
  until,
  from1,
  to1,
  from2,
  to2,
];

/** Reads the statistics of a user between two moments in one statement. */
export async function readUserBetween(
  session: Session,
  names: Names,
  userId: string,
  range: Range,
): Promise<Read<UserStats>> {
  const [sums] = await session.query<
    FoundSums & { current_level: number | null; first_use: string | null; last_use: string | null }
  >(
    `SELECT * FROM ${names.userBetween}($1, $2, $3, $4, $5, $6, $7)`,
    [userId, ...limitsOf(daysRead(range))],
    "perdura_user_between",
  );
  if (sums === undefined) throw new Error("The totals of a user must be one row.");
  return { stats: userStats(sums, Number(sums.mean ?? 0)), counted: sums.counted };
}

/** Reads the statistics of all users between two moments in one statement. */
export async function readGlobalBetween(session: Session, names: Names, range: Range): Promise<Read<GlobalStats>> {
  const [sums] = await session.query<{ operations: number; successes: number; users: number; counted: number }>(
    `SELECT * FROM ${names.globalBetween}($1, $2, $3, $4, $5, $6)`,
    limitsOf(daysRead(range)),
    "perdura_global_between",
  );
  if (sums === undefined) throw new Error("The totals of all users must be one row.");
  const { operations, successes, users, counted } = sums;
  return {
    stats: { total_users: users, total_interactions: operations, success_rate: rate(successes, operations) },
    counted,
  };
}
