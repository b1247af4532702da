import type { Database } from "../sqlite/open_database.ts";
import type { LevelCounts, UserStats } from "./stats.ts";

/** Counts of the interactions of a user, without response times. */
export interface UserCounts extends LevelCounts {
  operations: number;
  successes: number;
  current_level: number | null;
  first_use: string | null;
  last_use: string | null;
}

/** Converts sums to statistics, with the keys in the same order as in answers from all rows. */
export function userStats(counts: UserCounts, meanResponseTime: number): UserStats {
  const { operations, successes, current_level, first_use, last_use } = counts;
  const { level_1_count, level_2_count, level_3_count, level_4_count, level_5_count } = counts;
  return {
    total_operations: operations,
    success_rate: rate(successes, operations),
    avg_response_time_ms: meanResponseTime,
    level_1_count,
    level_2_count,
    level_3_count,
    level_4_count,
    level_5_count,
    ...(current_level === null ? undefined : { current_level }),
    first_use,
    last_use,
  };
}

/** Statistics of a user without interactions. */
export const unknownUser = (): UserStats =>
  userStats(
    {
      operations: 0,
      successes: 0,
      level_1_count: 0,
      level_2_count: 0,
      level_3_count: 0,
      level_4_count: 0,
      level_5_count: 0,
      current_level: null,
      first_use: null,
      last_use: null,
    },
    0,
  );

/** Prepares a check whether a user id can be asked for. */
export function knownUser(database: Database): (id: string) => boolean {
  const statement = database.prepare("SELECT 1 FROM interactions WHERE user_id = ? LIMIT 1");
  return (id) => statement.get(id) !== undefined;
}

/**
 * Removes ids that cannot be asked for (ruling U-reading): rows of other programs may have no id, or one that is not
 * UTF-8, which is read as other text.
 */
export function askableUsers(ids: readonly (string | null)[], isKnown: (id: string) => boolean): string[] {
  const texts = ids.filter((id) => id !== null);
  if (!texts.some((id) => id.includes("\ufffd"))) return texts;
  return [...new Set(texts)].filter((id) => !id.includes("\ufffd") || isKnown(id));
}

export function rate(sum: number, count: number): number {
  return count === 0 ? 0 : sum / count;
}

/** `current_level` is absent, not null, for a user with no interaction (ruling U-current-level). */
export function withoutMissingLevel(row: UserStats & { current_level: number | null }): UserStats {
  const { current_level, first_use, last_use, ...counts } = row;
  return { ...counts, ...(current_level === null ? {} : { current_level }), first_use, last_use };
}
