import type { GlobalStats, UserStats } from "@perdura/internals/metrics/stats.js";
import { rate, type UserCounts, userStats } from "@perdura/internals/metrics/user_stats.js";
import type { Connection, Session } from "../connection/connection.ts";
import type { Names } from "../layout/names.ts";
import { fold } from "./fold.ts";
import { MEASURED } from "./sums.ts";

/**
 * Number of rows that a question counts in addition to the sums in about the time that it takes anyway; if there are more, it
 * folds them for the next question. The rows of a user are spread over the table.
 */
const FEW_OF_USER = 200;
const FEW_OF_ALL = 2000;

interface UserSums extends UserCounts {
  measured: number;
  ms: number;
  /** Times that were not added up. */
  beyond: number;
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
    const [sums] = await session.query<UserSums>(`SELECT * FROM ${this.#names.userSums}($1)`, [userId], "perdura_user");
    if (sums === undefined) throw new Error("The totals of a user must be one row.");
    const mean = sums.beyond === 0 ? rate(sums.ms, sums.measured) : await this.#meanOf(userId, session);
    if (sums.counted > FEW_OF_USER) await this.#foldOutside(session);
    return userStats(sums, mean);
  }

  async global(session: Session = this.#connection): Promise<GlobalStats> {
    const [sums] = await session.query<{ operations: number; successes: number; users: number; counted: number }>(
      `SELECT * FROM ${this.#names.globalSums}()`,
    );
    if (sums === undefined) throw new Error("The totals of all users must be one row.");
    if (sums.counted > FEW_OF_ALL) await this.#foldOutside(session);
    const { operations, successes, users } = sums;
    return { total_users: users, total_interactions: operations, success_rate: rate(successes, operations) };
  }

  async users(session: Session = this.#connection): Promise<string[]> {
    const rows = await session.query<{ user_id: string }>(`SELECT user_id FROM ${this.#names.allUsers}()`);
    return rows.map(({ user_id }) => user_id);
  }

  /** Brings the sums up to date as far as that can be done now. */
  async foldAll(rowsAtOnce?: number): Promise<void> {
    await fold(this.#connection, this.#names, rowsAtOnce);
  }

  /** The next question finds less to count. */
  async #foldOutside(session: Session): Promise<void> {
    if (session === this.#connection) await this.foldAll();
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
