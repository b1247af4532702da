import { type FilePath, pathText } from "../files/places.ts";
import { assertText } from "../text/identifiers.ts";
import type { Compacted } from "../sqlite/compact.ts";
import type { BreakdownOptions, BreakdownRow } from "./breakdown/breakdown.ts";
import { askedBreakdown } from "./breakdown/breakdown_arguments.ts";
import { NO_PERCENTILES, type Percentiles } from "./breakdown/percentiles.ts";
import { assertNoMore } from "../text/options.ts";
import { type CheckedInteraction, checkedInteraction } from "./checked_interaction.ts";
import type { DeleteBeforeOptions, Deleted, DeletionOptions } from "./deletion/deletion.ts";
import { type CheckedDeletion, checkedDeletion, checkedForgetting } from "./deletion/deletion_arguments.ts";
import type { ExportOptions } from "./export_progress.ts";
import type { ListPage } from "./listing/list_queries.ts";
import type { ListedInteraction, ListOptions } from "./listing/listing.ts";
import { type AskedList, askedList } from "./listing/listing_arguments.ts";
import type { LevelColumn } from "./schema.ts";
import type { CollectorQueries } from "./statistics.ts";
import type { GlobalStats, UserStats } from "./stats.ts";
import { askedStatistics, type StatisticsOptions } from "./time_range.ts";
import { unknownUser } from "./user_stats.ts";
import type { TrendOptions, TrendPeriod, UserTrendOptions, UserTrendPeriod } from "./trends/trend.ts";
import { type AskedTrend, askedTrend, askedUserTrend } from "./trends/trend_arguments.ts";

/** Operations of a metrics database that a collector needs. */
export interface CollectorLog {
  append(interaction: CheckedInteraction): number;
  ask<Answer>(question: (statistics: CollectorQueries) => Answer): Answer;
  exportTo(filepath: string, options?: ExportOptions): number;
  delete(asked: CheckedDeletion): Deleted;
  compact(): Compacted;
  readonly levelColumn: LevelColumn;
  readonly journalMode: string;
  close(): void;
}

/** Common part of the metrics collectors of both lines (specification, section 4.2). */
export abstract class CollectorBase<Level extends LevelColumn> {
  readonly #log: CollectorLog;

  constructor(log: CollectorLog) {
    this.#log = log;
  }

  /**
   * Adds one interaction at a given level (specification, section 4.2).
   *
   * @param userId Identifier of the user; not empty.
   * @param level Integer from 1 to 5.
   * @param success True if the interaction succeeded.
   * @param responseTimeMs Response time in milliseconds; finite, 0 or more.
   * @returns The id of the new row.
   * @throws ValidationError that names the argument; nothing is written.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * console.log(metrics.recordInteraction("alice", 3, true, 120.5)); // 1
   * ```
   */
  recordInteraction(userId: string, level: number, success: boolean, responseTimeMs: number): number {
    assertNoMore("recordInteraction", arguments, 4);
    return this.#log.append(checkedInteraction(userId, level, success, responseTimeMs));
  }

  /**
   * Returns the statistics of one user (specification, section 2.6). For a user with no interaction all counts and
   * rates are 0, and `current_level` is absent.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordInteraction("alice", 3, true, 120.5);
   * console.log(metrics.getUserStats("alice").current_level); // 3
   * ```
   */
  getUserStats(userId: string): UserStats;
  /**
   * The same for the interactions between two moments. `current_level` is the level of the newest of them. Interactions
   * without a readable timestamp are left out. The time that a call takes does not grow with the number of interactions;
   * for a limit that is not the beginning of a day, the interactions of its day are read.
   *
   * @param options.since First moment that is included: a Date, or text in UTC (`YYYY-MM-DD`, `YYYY-MM-DDTHH:MM:SS`).
   * @param options.until First moment that is not included any more, in the same forms.
   * @param options.percentiles True to add the percentiles `p50`, `p95` and `p99` of the response times, in milliseconds;
   * all interactions of the range are then read, except for more than 100,000 if a key is declared (the option `breakdown`
   * of the collector): then sums answer in milliseconds, but not about hours. Percentiles are exact up to 100,000
   * interactions; beyond, they differ by at most 1 % from a time at their place. Null without a response time.
   * @throws ValidationError that names the argument.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordInteraction("alice", 3, true, 120.5);
   * const weekAgo = new Date(Date.now() - 7 * 24 * 60 * 60 * 1000);
   * console.log(metrics.getUserStats("alice", { since: weekAgo }).total_operations); // 1
   * ```
   */
  getUserStats(userId: string, options?: StatisticsOptions): UserStats & Partial<Percentiles>;
  getUserStats(userId: string, options?: StatisticsOptions): UserStats & Partial<Percentiles> {
    assertNoMore("getUserStats", arguments, 2);
    assertText("userId", userId);
    const { range, percentiles } = askedStatistics(options);
    return this.#log.ask((statistics) => {
      const stats = (): UserStats => {
        // The driver would ask for the text with replacement characters instead of lone surrogates.
        if (!userId.isWellFormed()) return unknownUser();
        return range === undefined ? statistics.user(userId) : statistics.userBetween(userId, range);
      };
      if (!percentiles) return stats();
      return statistics.atOneMoment(() => ({ ...stats(), ...statistics.percentiles({ user: userId, range }) }));
    });
  }

  /**
   * Returns the statistics over all users (specification, section 2.7).
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordInteraction("alice", 3, true, 120.5);
   * console.log(metrics.getGlobalStats().total_users); // 1
   * ```
   */
  getGlobalStats(): GlobalStats;
  /**
   * The same for the interactions between two moments, as in {@link getUserStats}. The time that a call takes grows with
   * the number of users, not of interactions: a user of several days counts once, so that each user is looked up. For a
   * limit that is not the beginning of a day, the interactions of its day are read.
   *
   * @param options.since First moment that is included: a Date, or text in UTC (`YYYY-MM-DD`, `YYYY-MM-DDTHH:MM:SS`).
   * @param options.until First moment that is not included any more, in the same forms.
   * @param options.percentiles True to add percentiles of the response times; see {@link getUserStats}.
   * @throws ValidationError that names the argument.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordInteraction("alice", 3, true, 120.5);
   * console.log(metrics.getGlobalStats({ until: "2025-01-01" }).total_users); // 0
   * ```
   */
  getGlobalStats(options?: StatisticsOptions): GlobalStats & Partial<Percentiles>;
  getGlobalStats(options?: StatisticsOptions): GlobalStats & Partial<Percentiles> {
    assertNoMore("getGlobalStats", arguments, 1);
    const { range, percentiles } = askedStatistics(options);
    return this.#log.ask((statistics) => {
      const stats = (): GlobalStats => (range === undefined ? statistics.global() : statistics.globalBetween(range));
      if (!percentiles) return stats();
      return statistics.atOneMoment(() => ({ ...stats(), ...statistics.percentiles({ user: undefined, range }) }));
    });
  }

  /**
   * Returns the ids of all users with an interaction, each once, sorted by code point.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordInteraction("alice", 3, true, 120.5);
   * console.log(metrics.getAllUsers()); // [ 'alice' ]
   * ```
   */
  getAllUsers(): string[] {
    assertNoMore("getAllUsers", arguments, 0);
    return this.#log.ask((statistics) => statistics.users());
  }

  /**
   * Returns the interactions of one user by hour, day, week or month, with the trust at the end of each period
   * (specification, section 1). Periods are in UTC and in order of time; periods without interactions are left out.
   * `since` and `until` limit the interactions that are counted; trust takes earlier interactions into account too, in
   * the order of their ids. Interactions without a readable timestamp have no period and are left out.
   *
   * The time that a call takes does not grow with the number of interactions, with three exceptions that read
   * interactions: periods of an hour (those between `since` and `until`), other figures of `trust.gain` and `trust.loss`
   * (all of the user), and a user whose interactions of different days have interleaved ids (all of the user).
   *
   * @param options.bucket Length of the periods: `hour`, `day` (the default), `week` (from Monday) or `month`.
   * @param options.since First moment that is included: a Date, or text in UTC (`YYYY-MM-DD`, `YYYY-MM-DDTHH:MM:SS`).
   * @param options.until First moment that is not included any more, in the same forms.
   * @param options.percentiles True to add percentiles of the response times; see {@link getUserStats}.
   * @param options.trust Figures of the trust trajectory: `initial` 0.5, `gain` 0.05, `loss` 0.1 by default.
   * @throws ValidationError that names the argument.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordInteraction("alice", 3, true, 120.5);
   * const [today] = metrics.getUserTrend("alice", { bucket: "day" });
   * console.log(today?.total_operations, today?.trust); // 1 0.55
   * ```
   */
  getUserTrend(userId: string, options: UserTrendOptions = {}): (UserTrendPeriod & Partial<Percentiles>)[] {
    assertNoMore("getUserTrend", arguments, 2);
    assertText("userId", userId);
    const asked = askedUserTrend(options);
    return this.#log.ask((statistics) =>
      withPercentiles(statistics, userId, asked, () =>
        userId.isWellFormed() ? statistics.userTrend(userId, asked) : [],
      ),
    );
  }

  /**
   * Returns the interactions of all users by hour, day, week or month, as {@link getUserTrend} does, without trust.
   *
   * @param options.bucket Length of the periods: `hour`, `day` (the default), `week` (from Monday) or `month`.
   * @param options.since First moment that is included: a Date, or text in UTC (`YYYY-MM-DD`, `YYYY-MM-DDTHH:MM:SS`).
   * @param options.until First moment that is not included any more, in the same forms.
   * @param options.percentiles True to add percentiles of the response times; see {@link getUserStats}.
   * @throws ValidationError that names the argument.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordInteraction("alice", 3, true, 120.5);
   * metrics.recordInteraction("bob", 2, false, 80);
   * const [thisMonth] = metrics.getGlobalTrend({ bucket: "month" });
   * console.log(thisMonth?.total_operations, thisMonth?.success_rate); // 2 0.5
   * ```
   */
  getGlobalTrend(options: TrendOptions = {}): (TrendPeriod & Partial<Percentiles>)[] {
    assertNoMore("getGlobalTrend", arguments, 1);
    const asked = askedTrend(options);
    return this.#log.ask((statistics) =>
      withPercentiles(statistics, undefined, asked, () => statistics.globalTrend(asked)),
    );
  }

  /**
   * Returns figures for each value that interactions have under a key of their metadata, such as the success rate and the
   * response times of each tool. Values with most interactions come first; interactions without the key are counted under
   * null, and so are those for which another program stored metadata that SQLite does not read: text that is not JSON, or
   * that has more than 1,000 levels of nesting. All interactions of the range or of the user are read, except if there are
   * more than 100,000 and the key and the numbers were declared (the option `breakdown` of the collector): then sums answer
   * in milliseconds.
   *
   * Percentiles are exact up to 100,000 interactions; beyond, they differ by at most 1 % from a time at their place.
   *
   * @param key Key of the metadata, at their top level.
   * @param options.user_id Counts the interactions of this user only.
   * @param options.since First moment that is included: a Date, or text in UTC (`YYYY-MM-DD`, `YYYY-MM-DDTHH:MM:SS`).
   * @param options.until First moment that is not included any more, in the same forms.
   * @param options.limit Number of values with a row of their own, 1 to 10,000; 100 by default. A last row without a
   * `value` has the figures of all others together, and their number in `others`.
   * @param options.numbers Keys whose numbers are summed for each value, such as `["input_tokens"]`.
   * @throws ValidationError that names the argument.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordInteraction("alice", 3, true, 120.5);
   * const [withoutTool] = metrics.getBreakdown("tool");
   * console.log(withoutTool?.value, withoutTool?.total_operations, withoutTool?.p50); // null 1 120.5
   * ```
   */
  getBreakdown(key: string, options?: BreakdownOptions): BreakdownRow[] {
    assertNoMore("getBreakdown", arguments, 2);
    const asked = askedBreakdown(key, options);
    return this.#log.ask((statistics) => statistics.breakdown(asked));
  }

  /**
   * Lists the interactions with their metadata, newest first. Rows are read a hundred at a time, so that little memory is
   * needed for any number of rows, and other calls can be made between them. Rows that are recorded meanwhile are not
   * listed.
   *
   * @param options.user_id Lists the interactions of this user only.
   * @param options.since First moment that is included: a Date, or text in UTC (`YYYY-MM-DD`, `YYYY-MM-DDTHH:MM:SS`).
   * @param options.until First moment that is not included any more, in the same forms.
   * @param options.success Lists the interactions with this result only.
   * @param options.where Lists the interactions whose metadata have these values only; see {@link ListOptions}.
   * @param options.order `newest` first (the default) or `oldest` first, by id.
   * @throws ValidationError that names the option.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordInteraction("alice", 3, true, 120.5);
   * metrics.recordInteraction("alice", 3, false, 80);
   * for (const { id, response_time_ms } of metrics.listInteractions({ success: false }))
   *   console.log(id, response_time_ms); // 2 80
   * ```
   */
  listInteractions(options?: ListOptions): IterableIterator<ListedInteraction<Level>> {
    assertNoMore("listInteractions", arguments, 1);
    return this.#pages(askedList(options));
  }

  *#pages(asked: AskedList): Generator<ListedInteraction<Level>, undefined> {
    let page: ListPage | undefined;
    do {
      page = this.#log.ask((statistics) => statistics.listPage(asked, page));
      yield* page.rows as ListedInteraction<Level>[];
    } while (page.from <= page.to);
  }

  /**
   * Writes all interactions to a file: `.json` (one document with metadata, users, global, interactions), `.jsonl` (one
   * line per interaction) or `.csv` (RFC 4180). The file is written completely or not at all. Rows are written one by
   * one, so that little memory is needed for any number of rows.
   *
   * @param options.onProgress Called with the number of interactions written so far and their total number.
   * @returns Number of interactions that were written.
   * @throws ValidationError for another extension; nothing is written.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordInteraction("alice", 3, true, 120.5);
   * console.log(metrics.exportMetrics("metrics.jsonl")); // 1
   * ```
   */
  exportMetrics(filepath: FilePath, options: ExportOptions = {}): number {
    assertNoMore("exportMetrics", arguments, 2);
    return this.#log.exportTo(pathText("filepath", filepath), options);
  }

  /**
   * Deletes everything of one user: interactions, metadata and statistics. Interactions that are recorded while the call
   * runs are kept. Long deletions are done in steps between which other programs record; each step is stored when it
   * ends, so that after a crash the call can be repeated for the rest.
   *
   * @param options.erase True to overwrite the bytes in the file, and to empty the log; see {@link DeletionOptions}.
   * @param options.onProgress Called with the number of deleted interactions and their total number.
   * @returns Numbers of deleted interactions and of their metadata; 0 for an unknown user.
   * @throws ValidationError that names the argument; StorageError or BusyError if not everything could be deleted or
   * erased: what was deleted before stays deleted.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordInteraction("alice", 3, true, 120.5);
   * console.log(metrics.forgetUser("alice", { erase: true })); // { interactions: 1, metadata: 0 }
   * console.log(metrics.getAllUsers()); // []
   * ```
   */
  forgetUser(userId: string, options: DeletionOptions = {}): Deleted {
    assertNoMore("forgetUser", arguments, 2);
    return this.#log.delete(checkedForgetting(userId, options));
  }

  /**
   * Deletes the interactions before a moment, of all users or of one, with their metadata, in steps as {@link forgetUser}
   * does. Statistics and trends are then those of the remaining interactions; trust starts at its initial value before
   * the first of them. Interactions without a readable timestamp are kept.
   *
   * @param time The first moment that is kept: a Date, or text in UTC (`YYYY-MM-DD`, `YYYY-MM-DDTHH:MM:SS`).
   * @param options.user_id Deletes interactions of this user only.
   * @param options.erase True to overwrite the bytes in the file, and to empty the log; see {@link DeletionOptions}.
   * @param options.onProgress Called with the number of deleted interactions and their total number.
   * @returns Numbers of deleted interactions and of their metadata.
   * @throws ValidationError that names the argument; StorageError or BusyError if not everything could be deleted or
   * erased: what was deleted before stays deleted.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordInteraction("alice", 3, true, 120.5);
   * const ninetyDays = 90 * 24 * 60 * 60 * 1000;
   * console.log(metrics.deleteBefore(new Date(Date.now() - ninetyDays))); // { interactions: 0, metadata: 0 }
   * ```
   */
  deleteBefore(time: Date | string, options: DeleteBeforeOptions = {}): Deleted {
    assertNoMore("deleteBefore", arguments, 2);
    return this.#log.delete(checkedDeletion(time, options));
  }

  /**
   * Gives the space of deleted rows back to the disk: rewrites the file without it (SQLite's VACUUM). Other programs
   * cannot write meanwhile, and the disk needs room for a second and, with a write-ahead log, a third copy of what is
   * stored. Without this, SQLite uses the space for new rows.
   *
   * @returns Sizes of the file in bytes.
   * @throws StorageError if the disk is full; BusyError if another program holds the database. Nothing was changed.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.forgetUser("alice");
   * const { bytes_before, bytes_after } = metrics.compact();
   * console.log(bytes_after <= bytes_before); // true
   * ```
   */
  compact(): Compacted {
    assertNoMore("compact", arguments, 0);
    return this.#log.compact();
  }

  /**
   * SQLite's journal mode: usually `wal`, a write-ahead log; `delete`, a rollback journal, if the file system does not
   * support a write-ahead log (a process warning with the code `PERDURA_NO_WRITE_AHEAD_LOG` reports it); `memory` for a
   * database in memory.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * console.log(metrics.journalMode); // wal
   * ```
   */
  get journalMode(): string {
    return this.#log.journalMode;
  }

  /**
   * Name of the level in tables and in the records of `recordMany`: `empathy_level` before 16, `level` from 16. For code
   * that takes the collectors of both lines.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * console.log(metrics.levelColumn.endsWith("level")); // true
   * ```
   */
  get levelColumn(): "empathy_level" | "level" {
    return this.#log.levelColumn;
  }

  /**
   * Writes the rows that the writers of this collector have queued, then closes the database. A second call does
   * nothing.
   */
  close(): void {
    this.#log.close();
  }

  /** Calls {@link close} at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.close();
  }
}

/** The periods of a trend, with the percentiles of each if they are asked for. */
function withPercentiles<Period extends TrendPeriod>(
  statistics: CollectorQueries,
  user: string | undefined,
  { bucket, since, until, percentiles }: AskedTrend,
  periods: () => Period[],
): (Period & Partial<Percentiles>)[] {
  if (!percentiles) return periods();
  return statistics.atOneMoment(() => {
    const found = statistics.percentilesByPeriod({ user, range: { since, until } }, bucket);
    return periods().map((period) => ({ ...period, ...(found.get(period.period) ?? NO_PERCENTILES) }));
  });
}
