import { assertIdentifier } from "../text/identifiers.ts";
import { assertLevel, assertResponseTime, assertSuccess } from "./arguments.ts";
import type { CheckedInteraction } from "./checked_interaction.ts";
import type { GlobalStats, StatisticsQueries, UserStats } from "./stats.ts";

/** What a collector needs of the database that it records into. */
export interface CollectorLog {
  append(interaction: CheckedInteraction): number;
  ask<Answer>(question: (statistics: StatisticsQueries) => Answer): Answer;
  exportTo(filepath: string): number;
  close(): void;
}

/** What the metrics collectors of both lines have in common (specification, section 4.2). */
export abstract class CollectorBase {
  readonly #log: CollectorLog;

  constructor(log: CollectorLog) {
    this.#log = log;
  }

  /**
   * Adds one interaction at a given level (specification, section 4.2).
   *
   * @param userId Identifier of the user; not empty.
   * @param level Integer from 1 to 5.
   * @param success Whether the interaction succeeded.
   * @param responseTimeMs Response time in milliseconds; finite, 0 or more.
   * @returns The id of the new row.
   * @throws ValidationError naming the argument; nothing is written.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * console.log(metrics.recordInteraction("alice", 3, true, 120.5)); // 1
   * ```
   */
  recordInteraction(userId: string, level: number, success: boolean, responseTimeMs: number): number {
    assertIdentifier("userId", userId);
    assertLevel("level", level);
    assertSuccess("success", success);
    assertResponseTime("responseTimeMs", responseTimeMs);
    return this.#log.append({ userId, level, success, responseTimeMs, metadata: null });
  }

  /**
   * Statistics of one user (specification, section 2.6). A user with no interaction has counts and rates of 0 and no
   * `current_level`.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordInteraction("alice", 3, true, 120.5);
   * console.log(metrics.getUserStats("alice").current_level); // 3
   * ```
   */
  getUserStats(userId: string): UserStats {
    assertIdentifier("userId", userId);
    return this.#log.ask((statistics) => statistics.user(userId));
  }

  /**
   * Statistics over all users (specification, section 2.7).
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordInteraction("alice", 3, true, 120.5);
   * console.log(metrics.getGlobalStats().total_users); // 1
   * ```
   */
  getGlobalStats(): GlobalStats {
    return this.#log.ask((statistics) => statistics.global());
  }

  /**
   * Every user with an interaction, once, sorted by code point.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordInteraction("alice", 3, true, 120.5);
   * console.log(metrics.getAllUsers()); // [ 'alice' ]
   * ```
   */
  getAllUsers(): string[] {
    return this.#log.ask((statistics) => statistics.users());
  }

  /**
   * Writes all interactions to a file: `.json` (one document with metadata, users, global, interactions), `.jsonl` (a
   * line an interaction) or `.csv` (RFC 4180). The file appears whole or not at all.
   *
   * @returns The number of interactions written.
   * @throws ValidationError for another extension; nothing is written.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordInteraction("alice", 3, true, 120.5);
   * console.log(metrics.exportMetrics("metrics.jsonl")); // 1
   * ```
   */
  exportMetrics(filepath: string): number {
    return this.#log.exportTo(filepath);
  }

  /** Closes the database. Closing twice does nothing. */
  close(): void {
    this.#log.close();
  }

  /** Closes the database at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.close();
  }
}
