import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import type { TrendOptions, TrendPeriod, UserTrendOptions } from "@perdura/internals/metrics/trends/trend.js";
import { rangeQueries } from "@perdura/internals/metrics/range_queries.js";
import type { GlobalStats, UserStats } from "@perdura/internals/metrics/stats.js";
import { checkedRange, type RangeOptions } from "@perdura/internals/metrics/time_range.js";
import { askedTrend, askedUserTrend } from "@perdura/internals/metrics/trends/trend_arguments.js";
import { trendQueries } from "@perdura/internals/metrics/trends/trend_queries.js";
import type { Pool } from "pg";
import type { PostgresMetricsCollector } from "../src/index.ts";
import type { StatisticsReader } from "../src/metrics/statistics_reader.ts";
import { expect } from "vitest";
import { expectCloseMeans } from "./close_means.ts";
import { withoutMean } from "./counted_rows.ts";

/** The answers of {@link StatisticsReader} or of a collector. */
export interface Trends {
  user(userId: string, options: UserTrendOptions): Promise<TrendPeriod[]>;
  global(options: TrendOptions): Promise<TrendPeriod[]>;
  userBetween(userId: string, options: RangeOptions): Promise<UserStats>;
  globalBetween(options: RangeOptions): Promise<GlobalStats>;
}

/** Settings of trends with each bucket, and with limits between days and within a day. */
export const TRENDS: readonly UserTrendOptions[] = [
  {},
  { bucket: "hour" },
  { bucket: "week", since: "2024-01-01", until: "2025-06-01" },
  { bucket: "month", since: "2023-12-31T23:30:00", until: "2024-03-01T12:00:00.25" },
  { since: "2024-01-01T10:00:00", until: "2024-01-01T23:59:59.5" },
  { bucket: "hour", since: "2024-01-01", until: "2024-03-01" },
  { bucket: "week", trust: { initial: 0.25, gain: 0.125, loss: 0.375 } },
];

/** The rows of the table in a database of SQLite, in memory, and their number. */
export async function inSqlite(pool: Pool): Promise<{ database: Database; rows: number }> {
  const database = openDatabase(":memory:", { intent: "record" });
  // Users in different partitions may have rows with the same id.
  database.exec(
    "CREATE TABLE interactions (id INTEGER, user_id TEXT, level INTEGER, success INTEGER, response_time_ms REAL, timestamp TEXT)",
  );
  const insert = database.prepare("INSERT INTO interactions VALUES (?, ?, ?, ?, ?, ?)");
  const { rows } = await pool.query<unknown[]>({
    text: `SELECT id::float8, user_id, level, success::int, response_time_ms, timestamp FROM interactions`,
    rowMode: "array",
  });
  for (const row of rows) insert.run(...row);
  return { database, rows: rows.length };
}

/**
 * Compares trends with those that SQLite computes from all rows.
 *
 * @param given Settings of the trends; by default one of {@link TRENDS}, which depends on the number of rows.
 */
export async function expectTrends(
  trends: Trends,
  pool: Pool,
  users: readonly string[],
  given?: readonly UserTrendOptions[],
): Promise<void> {
  const { database, rows } = await inSqlite(pool);
  const counted = { ...trendQueries(database, "level"), ...rangeQueries(database, "level") };
  for (const options of given ?? [TRENDS[rows % TRENDS.length] ?? {}]) {
    const name = JSON.stringify(options);
    const { trust: _, ...withoutTrust } = options;
    expectCloseMeans(await trends.global(withoutTrust), counted.globalTrend(askedTrend(withoutTrust)), `all ${name}`);
    const { since, until } = options;
    const range = checkedRange({ since, until });
    const isLimited = since !== undefined || until !== undefined;
    if (isLimited) expect(await trends.globalBetween({ since, until }), name).toEqual(counted.globalBetween(range));
    for (const user of users) {
      if (isLimited) {
        const between = [await trends.userBetween(user, { since, until }), counted.userBetween(user, range)] as const;
        expect(withoutMean(between[0]), `${user} ${name}`).toEqual(withoutMean(between[1]));
        expect(between[0].avg_response_time_ms).toBeCloseTo(between[1].avg_response_time_ms, 9);
      }
      const expected = counted.userTrend(user, askedUserTrend(options));
      expectCloseMeans(await trends.user(user, options), expected, `${JSON.stringify(user)} ${name}`);
    }
  }
  database.close();
}

export function trendsOf(questions: StatisticsReader): Trends {
  return {
    user: (userId, options) => questions.userTrend(userId, askedUserTrend(options)),
    global: (options) => questions.globalTrend(askedTrend(options)),
    userBetween: (userId, options) => questions.userBetween(userId, checkedRange(options)),
    globalBetween: (options) => questions.globalBetween(checkedRange(options)),
  };
}

export function trendsOfCollector(metrics: PostgresMetricsCollector): Trends {
  return {
    user: (userId, options) => metrics.getUserTrend(userId, options),
    global: (options) => metrics.getGlobalTrend(options),
    userBetween: (userId, options) => metrics.getUserStats(userId, options),
    globalBetween: (options) => metrics.getGlobalStats(options),
  };
}
