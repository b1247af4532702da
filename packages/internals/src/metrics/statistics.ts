import type { Database, Statement } from "../sqlite/open_database.ts";
import { LEVELS } from "./arguments.ts";
import type { LevelColumn } from "./schema.ts";

/** Statistics of one user, with the keys of specification section 2.6. */
export interface UserStats {
  /** Number of recorded interactions. */
  total_operations: number;
  /** Fraction of successful interactions, 0 to 1; 0 for a user with none. */
  success_rate: number;
  /** Mean response time in milliseconds over the interactions that have one; 0 when none has. */
  avg_response_time_ms: number;
  level_1_count: number;
  level_2_count: number;
  level_3_count: number;
  level_4_count: number;
  level_5_count: number;
  /** Level of the newest interaction (highest id); absent for a user with none. */
  current_level?: number;
  /** Oldest timestamp as text, UTC; null for a user with none. */
  first_use: string | null;
  /** Newest timestamp as text, UTC; null for a user with none. */
  last_use: string | null;
}

/** Statistics over all users, with the keys of specification section 2.7. */
export interface GlobalStats {
  total_users: number;
  total_interactions: number;
  /** Overall fraction of successful interactions, 0 to 1; 0 when there is none. */
  success_rate: number;
}

/** Rows without a number there are left out of the mean (ruling U-null-response-time). */
const MEAN_RESPONSE_TIME = `coalesce(avg(CASE WHEN typeof(response_time_ms) IN ('real', 'integer') THEN response_time_ms END), 0.0)`;

const SUCCESS_RATE = `coalesce(avg(CASE WHEN success THEN 1.0 ELSE 0.0 END), 0.0)`;

/** The prepared questions that statistics ask. */
export interface StatisticsQueries {
  user(userId: string): UserStats;
  global(): GlobalStats;
  users(): string[];
  /** The level of the user's newest interaction, or undefined. */
  currentLevel(userId: string): number | undefined;
}

export function statisticsQueries(database: Database, levelColumn: LevelColumn): StatisticsQueries {
  const perLevel = LEVELS.map(
    (level) => `count(CASE WHEN ${levelColumn} = ${level} THEN 1 END) AS level_${level}_count`,
  );
  const user = database.prepare(
    `SELECT count(*) AS total_operations, ${SUCCESS_RATE} AS success_rate, ${MEAN_RESPONSE_TIME} AS avg_response_time_ms,
       ${perLevel.join(", ")},
       (SELECT ${levelColumn} FROM interactions WHERE user_id = @user ORDER BY id DESC LIMIT 1) AS current_level,
       min(timestamp) AS first_use, max(timestamp) AS last_use
     FROM interactions WHERE user_id = @user`,
  ) as Statement<[{ user: string }], UserStats & { current_level: number | null }>;
  const global = database.prepare(
    `SELECT count(DISTINCT user_id) AS total_users, count(*) AS total_interactions, ${SUCCESS_RATE} AS success_rate FROM interactions`,
  ) as Statement<[], GlobalStats>;
  const users = database.prepare("SELECT DISTINCT user_id FROM interactions ORDER BY user_id").pluck() as Statement<
    [],
    string
  >;
  const level = database
    .prepare(`SELECT ${levelColumn} FROM interactions WHERE user_id = ? ORDER BY id DESC LIMIT 1`)
    .pluck() as Statement<[string], number>;
  return {
    user: (userId) => withoutMissingLevel(user.get({ user: userId }) as UserStats & { current_level: number | null }),
    global: () => global.get() as GlobalStats,
    // BINARY collation compares UTF-8 bytes, which is the order of code points (ruling U-users-order).
    users: () => users.all(),
    currentLevel: (userId) => level.get(userId),
  };
}

/** `current_level` is absent, not null, for a user with no interaction (ruling U-current-level). */
function withoutMissingLevel(row: UserStats & { current_level: number | null }): UserStats {
  const { current_level, first_use, last_use, ...counts } = row;
  return { ...counts, ...(current_level === null ? {} : { current_level }), first_use, last_use };
}
