import type { GlobalStats, UserStats } from "@perdura/internals/metrics/stats.js";
import type { Range } from "@perdura/internals/metrics/time_range.js";
import type { TrendPeriod, UserTrendPeriod } from "@perdura/internals/metrics/trends/trend.js";
import type { AskedTrend, AskedUserTrend } from "@perdura/internals/metrics/trends/trend_arguments.js";
import { rate, unknownUser, type UserCounts, userStats } from "@perdura/internals/metrics/user_stats.js";
import type { Connection, Session } from "../connection/connection.ts";
import type { Names } from "../layout/names.ts";
import { fold, foldForQuestions } from "./fold.ts";
import { meanOfLargeTimes } from "./large_times.ts";
import { isStorable } from "../connection/storable.ts";
import { readGlobalBetween, readUserBetween } from "./range_reader.ts";
import { readGlobalTrend, readUserTrend } from "./trend_reader.ts";

/**
 * Number of rows that a question can count in addition to the sums without becoming much slower. If there are more, the
 * question folds them for the next one. The rows of a user are spread over the table, so their limit is lower.
 */
const MOST_COUNTED_OF_USER = 200;
const MOST_COUNTED = 2000;

interface UserSums extends UserCounts {
  measured: number;
  ms: number;
  /** Number of times that are too large to be added. */
  beyond: number;
  /** Number of rows that were counted in addition to the sums. */
  counted: number;
}

/** Statistics. One statement reads them at one moment; only the mean of extremely large times needs a second one. */
export class StatisticsReader {
  readonly #connection: Connection;
  readonly #names: Names;

  constructor(connection: Connection, names: Names) {
    this.#connection = connection;
    this.#names = names;
  }

  async user(userId: string, session: Session = this.#connection): Promise<UserStats> {
    if (!isStorable(userId)) return unknownUser();
    const [sums] = await session.query<UserSums>(`SELECT * FROM ${this.#names.userSums}($1)`, [userId], "perdura_user");
    if (sums === undefined) throw new Error("The totals of a user must be one row.");
    const mean =
      sums.beyond === 0 ? rate(sums.ms, sums.measured) : await meanOfLargeTimes(session, this.#names, userId);
    if (sums.counted > MOST_COUNTED_OF_USER) await this.#foldOutside(session, userId);
    return userStats(sums, mean);
  }

  async global(session: Session = this.#connection): Promise<GlobalStats> {
    const [sums] = await session.query<{ operations: number; successes: number; users: number; counted: number }>(
      `SELECT * FROM ${this.#names.globalSums}()`,
    );
    if (sums === undefined) throw new Error("The totals of all users must be one row.");
    if (sums.counted > MOST_COUNTED) await this.#foldOutside(session);
    const { operations, successes, users } = sums;
    return { total_users: users, total_interactions: operations, success_rate: rate(successes, operations) };
  }

  async userBetween(userId: string, range: Range, session: Session = this.#connection): Promise<UserStats> {
    if (!isStorable(userId)) return unknownUser();
    const { stats, counted } = await readUserBetween(session, this.#names, userId, range);
    if (counted > MOST_COUNTED_OF_USER) await this.#foldOutside(session, userId);
    return stats;
  }

  async globalBetween(range: Range, session: Session = this.#connection): Promise<GlobalStats> {
    const { stats, counted } = await readGlobalBetween(session, this.#names, range);
    if (counted > MOST_COUNTED) await this.#foldOutside(session);
    return stats;
  }

  async users(session: Session = this.#connection): Promise<string[]> {
    const rows = await session.query<{ user_id: string }>(`SELECT user_id FROM ${this.#names.allUsers}()`);
    return rows.map(({ user_id }) => user_id);
  }

  async userTrend(
    userId: string,
    asked: AskedUserTrend,
    session: Session = this.#connection,
  ): Promise<UserTrendPeriod[]> {
    if (!isStorable(userId)) return [];
    const { periods, counted } = await readUserTrend(session, this.#names, userId, asked);
    if (counted > MOST_COUNTED_OF_USER) await this.#foldOutside(session, userId);
    return periods;
  }

  async globalTrend(asked: AskedTrend, session: Session = this.#connection): Promise<TrendPeriod[]> {
    const { periods, counted } = await readGlobalTrend(session, this.#names, asked);
    if (counted > MOST_COUNTED) await this.#foldOutside(session);
    return periods;
  }

  /** Updates the sums as far as possible now. */
  async foldAll(rowsAtOnce?: number): Promise<void> {
    await fold(this.#connection, this.#names, { rowsAtOnce });
  }

  /** Folds rows outside of a transaction, so that the next question counts fewer. */
  async #foldOutside(session: Session, userId?: string): Promise<void> {
    if (session === this.#connection) await foldForQuestions(this.#connection, this.#names, userId);
  }
}
