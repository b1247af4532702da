import type { GlobalStats, UserStats } from "@perdura/internals/metrics/stats.js";
import type { Connection, Session } from "../connection/connection.ts";
import type { Names } from "../layout/names.ts";
import { fold } from "./fold.ts";
import { COUNTS, MEASURED, SUMS } from "./sums.ts";

/** Rows that a question adds to the sums; more are folded first. */
const THRESHOLD = 2000;

interface UserSums {
  operations: number;
  successes: number;
  measured: number;
  ms: number;
  /** Times that were not added up. */
  beyond: number;
  level_1_count: number;
  level_2_count: number;
  level_3_count: number;
  level_4_count: number;
  level_5_count: number;
  current_level: number | null;
  first_use: string | null;
  last_use: string | null;
  /** Rows that had to be counted. */
  counted: number;
}

/** Statistics, each from one statement, which sees one moment. */
export class Questions {
  readonly #connection: Connection;
  readonly #names: Names;

  constructor(connection: Connection, names: Names) {
    this.#connection = connection;
    this.#names = names;
  }

  async user(userId: string, session: Session = this.#connection): Promise<UserStats> {
    const [sums] = await session.query<UserSums>(userQuery(this.#names), [userId]);
    if (sums === undefined) throw new Error("The sums of a user are one row.");
    const mean = sums.beyond === 0 ? rate(sums.ms, sums.measured) : await this.#meanOf(userId, session);
    await this.#foldAfter(sums.counted, session);
    return userStats(sums, mean);
  }

  async global(session: Session = this.#connection): Promise<GlobalStats> {
    const [sums] = await session.query<{ operations: number; successes: number; users: number; counted: number }>(
      globalQuery(this.#names),
    );
    if (sums === undefined) throw new Error("The sums of all users are one row.");
    await this.#foldAfter(sums.counted, session);
    const { operations, successes, users } = sums;
    return { total_users: users, total_interactions: operations, success_rate: rate(successes, operations) };
  }

  async users(session: Session = this.#connection): Promise<string[]> {
    const rows = await session.query<{ user_id: string }>(usersQuery(this.#names));
    return rows.map(({ user_id }) => user_id);
  }

  /** Brings the sums up to date as far as that can be done now. */
  async foldAll(): Promise<void> {
    await fold(this.#connection, this.#names);
  }

  /** The next question finds less to count. */
  async #foldAfter(counted: number, session: Session): Promise<void> {
    if (counted > THRESHOLD && session === this.#connection) await this.foldAll();
  }

  /**
   * The mean of numbers is a number, also where their sum is beyond a double. Nothing is divided that would vanish by it;
   * and not by `avg`, which squares.
   */
  async #meanOf(userId: string, session: Session): Promise<number> {
    const scaled = `CASE WHEN abs(response_time_ms) < 1 THEN 0 ELSE response_time_ms / ${2 ** 64} END`;
    const [row] = await session.query<{ mean: number }>(
      `SELECT sum(${scaled}) / count(*) AS mean FROM ${this.#names.interactions} WHERE user_id = $1 AND ${MEASURED}`,
      [userId],
    );
    return (row?.mean ?? 0) * 2 ** 64;
  }
}

function userStats(sums: UserSums, mean: number): UserStats {
  const { operations, successes, current_level, first_use, last_use } = sums;
  const { level_1_count, level_2_count, level_3_count, level_4_count, level_5_count } = sums;
  return {
    total_operations: operations,
    success_rate: rate(successes, operations),
    avg_response_time_ms: mean,
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

function rate(sum: number, count: number): number {
  return count === 0 ? 0 : sum / count;
}

/** What is known of the user and the rows from the watermark on; all rows of one whose rows were changed. */
function userQuery(names: Names): string {
  return `WITH state AS MATERIALIZED (
      SELECT CASE WHEN EXISTS (SELECT 1 FROM ${names.staleUsers} WHERE user_id = $1) THEN -1 ELSE watermark END AS begin
      FROM ${names.rollup}
    ), known AS (
      SELECT * FROM ${names.userRollup} WHERE user_id = $1 AND (SELECT begin FROM state) >= 0
    ), tail AS MATERIALIZED (
      SELECT ${SUMS} FROM ${names.interactions} WHERE user_id = $1 AND recorded_by >= (SELECT begin FROM state)
    )
    SELECT ${COUNTS.map((count) => `coalesce(known.${count}, 0) + tail.${count} AS ${count}`).join(", ")},
      CASE WHEN tail.newest > coalesce(known.newest, -9223372036854775808) OR known.newest IS NULL
        THEN tail.current_level ELSE known.current_level END AS current_level,
      least(known.first_use, tail.first_use) AS first_use, greatest(known.last_use, tail.last_use) AS last_use,
      tail.operations AS counted
    FROM tail LEFT JOIN known ON true`;
}

/** Rows that the sums do not hold: from the watermark on, and all of users whose rows were changed. */
function uncounted(names: Names): string {
  return `recorded_by >= (SELECT watermark FROM ${names.rollup}) AND NOT EXISTS (
      SELECT 1 FROM ${names.staleUsers} AS stale WHERE stale.user_id = interactions.user_id)`;
}

function globalQuery(names: Names): string {
  const known = `EXISTS (SELECT 1 FROM ${names.userRollup} AS known WHERE known.user_id = interactions.user_id)`;
  const total = "count(*) AS operations, count(*) FILTER (WHERE success) AS successes";
  return `WITH stale AS MATERIALIZED (SELECT DISTINCT user_id FROM ${names.staleUsers}),
    parts AS (
      SELECT operations, successes, users, 0 AS counted FROM ${names.rollup}
      UNION ALL SELECT ${total}, count(DISTINCT user_id) FILTER (WHERE NOT ${known}), count(*)
        FROM ${names.interactions} AS interactions WHERE ${uncounted(names)}
      UNION ALL SELECT -coalesce(sum(operations), 0), -coalesce(sum(successes), 0), -count(*), 0
        FROM ${names.userRollup} WHERE user_id IN (SELECT user_id FROM stale)
      UNION ALL SELECT ${total}, count(DISTINCT user_id), count(*)
        FROM ${names.interactions} WHERE user_id IN (SELECT user_id FROM stale)
    )
    SELECT sum(operations)::bigint AS operations, sum(successes)::bigint AS successes, sum(users)::bigint AS users,
      sum(counted)::bigint AS counted FROM parts`;
}

/** In the order of code points, which is that of the bytes of UTF-8 (ruling U-users-order). */
function usersQuery(names: Names): string {
  return `SELECT user_id FROM ${names.userRollup} WHERE user_id NOT IN (SELECT user_id FROM ${names.staleUsers})
    UNION SELECT user_id FROM ${names.interactions} AS interactions WHERE ${uncounted(names)}
    UNION SELECT user_id FROM ${names.interactions} WHERE user_id IN (SELECT user_id FROM ${names.staleUsers})
    ORDER BY 1`;
}
