import type { WriterOptions } from "@perdura/internals/metrics/writer_base.js";
import type { JsonObjectInput } from "@perdura/internals/json/values.js";
import type { BreakdownOptions, BreakdownRow } from "@perdura/internals/metrics/breakdown/breakdown.js";
import { type FilePath, pathText } from "@perdura/internals/files/places.js";
import { askedBreakdown } from "@perdura/internals/metrics/breakdown/breakdown_arguments.js";
import { NO_PERCENTILES, type Percentiles } from "@perdura/internals/metrics/breakdown/percentiles.js";
import { checkedInteraction } from "@perdura/internals/metrics/checked_interaction.js";
import type { DeleteBeforeOptions, Deleted, DeletionOptions } from "@perdura/internals/metrics/deletion/deletion.js";
import { checkedDeletion, checkedForgetting } from "@perdura/internals/metrics/deletion/deletion_arguments.js";
import type { ExportOptions } from "@perdura/internals/metrics/export_progress.js";
import { checkedMetric, checkedRecords, type InteractionRecord } from "@perdura/internals/line16/records.js";
import type { ListedInteraction, ListOptions } from "@perdura/internals/metrics/listing/listing.js";
import { askedList } from "@perdura/internals/metrics/listing/listing_arguments.js";
import { type BreakdownKeys, checkedKeys } from "@perdura/internals/metrics/options.js";
import type { GlobalStats, UserStats } from "@perdura/internals/metrics/stats.js";
import type {
  TrendOptions,
  TrendPeriod,
  UserTrendOptions,
  UserTrendPeriod,
} from "@perdura/internals/metrics/trends/trend.js";
import { askedStatistics, type StatisticsOptions } from "@perdura/internals/metrics/time_range.js";
import { type AskedTrend, askedTrend, askedUserTrend } from "@perdura/internals/metrics/trends/trend_arguments.js";
import { MetricsWriter } from "@perdura/internals/line16/metrics_writer.js";
import { assertNoMore } from "@perdura/internals/text/options.js";
import { assertText } from "@perdura/internals/text/identifiers.js";
import { assertClock, type Clock } from "@perdura/internals/text/timestamps.js";
import { assertPlace, type PostgresPlace } from "../connection/address.ts";
import type { Session } from "../connection/connection.ts";
import { checkedOptions, type PostgresOptions } from "../connection/options.ts";
import { checkedKey, type RecordOptions } from "./idempotency.ts";
import { MetricsLog } from "./metrics_log.ts";
import type { StatisticsReader } from "./statistics_reader.ts";
import type { Recount } from "../layout/compare_sums.ts";

/** Settings of {@link PostgresMetricsCollector}. */
export interface PostgresMetricsOptions extends PostgresOptions {
  /** Source of `timestamp`; the server's clock by default. */
  clock?: Clock | undefined;
  /**
   * Declares keys of metadata for `getBreakdown`, when a method is called first. The schema remembers them, and keeps sums
   * by their values, so that a breakdown takes milliseconds however many interactions there are. All programs that use the
   * schema share them. Only the owner of the tables can declare keys that are not declared.
   */
  breakdown?: BreakdownKeys | undefined;
}

/**
 * Records interactions in PostgreSQL and aggregates them (specification, section 4.2). The first call creates the
 * tables. Any number of programs may record at the same time. A promise resolves when the server has committed the row.
 *
 * @example
 * ```ts
 * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
 * await metrics.recordInteraction("alice", 3, true, 120.5);
 * await metrics.recordMetric("alice", false, 80, { tool: "search" });
 * console.log((await metrics.getUserStats("alice")).success_rate); // 0.5
 * await metrics.close();
 * ```
 */
export class PostgresMetricsCollector {
  readonly #log: MetricsLog;

  /**
   * Creates a collector. The first call of a method opens the connection.
   *
   * @param place An address, a pool of the package `pg`, or undefined for libpq's environment variables.
   * @param options Schema, time limits, partitions, clock and declared keys.
   * @throws ValidationError that names the argument or the option.
   */
  constructor(place?: PostgresPlace, options: PostgresMetricsOptions = {}) {
    assertPlace(place);
    const checked = checkedOptions(options, ["clock", "breakdown"]);
    assertClock(options.clock);
    this.#log = new MetricsLog(place, checked, options.clock, checkedKeys(options.breakdown));
  }

  /**
   * Adds one interaction at a given level (specification, section 4.2).
   *
   * @param userId Identifier of the user; not empty.
   * @param level Integer from 1 to 5.
   * @param success True if the interaction succeeded.
   * @param responseTimeMs Response time in milliseconds; finite, 0 or more.
   * @param options.idempotencyKey Key for a call that may be retried; see {@link RecordOptions}.
   * @returns The id of the new row, or of the row that the first call with this key added.
   * @throws ValidationError that names the argument; nothing is written. StorageError if the server cannot be reached.
   *
   * @example
   * ```ts
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * console.log(await metrics.recordInteraction("alice", 3, true, 120.5)); // 1
   * await metrics.close();
   * ```
   */
  async recordInteraction(
    userId: string,
    level: number,
    success: boolean,
    responseTimeMs: number,
    options: RecordOptions = {},
  ): Promise<number> {
    assertNoMore("recordInteraction", arguments, 5);
    return this.#log.append(checkedInteraction(userId, level, success, responseTimeMs), checkedKey(options));
  }

  /**
   * Adds one interaction at the user's current level: the level of the user's newest interaction, or 1 for a user with
   * no interaction.
   *
   * @param userId Identifier of the user; not empty.
   * @param success True if the interaction succeeded.
   * @param responseTimeMs Response time in milliseconds; finite, 0 or more.
   * @param metadata Any JSON object, or null; stored exactly, in the side table `interaction_metadata`.
   * @param options.idempotencyKey Key for a call that may be retried; see {@link RecordOptions}.
   * @throws ValidationError that names the argument; nothing is written. StorageError if the server cannot be reached.
   *
   * @example
   * ```ts
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * await metrics.recordMetric("alice", true, 80, { tool: "search" });
   * console.log((await metrics.getUserStats("alice")).level_1_count); // 1
   * await metrics.close();
   * ```
   */
  async recordMetric(
    userId: string,
    success: boolean,
    responseTimeMs: number,
    metadata: JsonObjectInput | null = null,
    options: RecordOptions = {},
  ): Promise<void> {
    const metric = checkedMetric(userId, success, responseTimeMs, metadata);
    assertNoMore("recordMetric", arguments, 5);
    await this.#log.append(metric, checkedKey(options));
  }

  /**
   * Adds many interactions in one transaction: all of them or none. Records are read a thousand at a time, so that a
   * generator does not need to keep all of them in memory.
   *
   * @param records An array or another iterable. An error that it throws is passed on unchanged, and nothing is
   * written.
   * @param options.idempotencyKey Key for a call that may be retried with the same records; see {@link RecordOptions}.
   * @returns Number of interactions that were added, by this call or by the first call with this key.
   * @throws ValidationError that names the record and its field; nothing is written.
   *
   * @example
   * ```ts
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * console.log(await metrics.recordMany([{ user_id: "alice", level: 2, success: true, response_time_ms: 35 }])); // 1
   * await metrics.close();
   * ```
   */
  async recordMany(records: Iterable<InteractionRecord>, options: RecordOptions = {}): Promise<number> {
    assertNoMore("recordMany", arguments, 2);
    return this.#log.appendAll(checkedRecords(records), checkedKey(options));
  }

  /**
   * Returns a writer that sends all rows recorded in one turn of the event loop together, which is many times faster
   * for many concurrent callers.
   *
   * @example
   * ```ts
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * const writer = metrics.writer();
   * await Promise.all([writer.recordMetric("alice", true, 80), writer.recordMetric("bob", false, 95)]);
   * console.log((await metrics.getGlobalStats()).total_interactions); // 2
   * await metrics.close();
   * ```
   */
  writer(): MetricsWriter;
  /**
   * The same with settings.
   *
   * @param options.onError Called with the error of each record that could not be stored, instead of rejecting its
   * promise; see {@link WriterOptions}.
   * @throws ValidationError that names the option.
   *
   * @example
   * ```ts
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * const writer = metrics.writer({ onError: (error) => console.error(error.message) });
   * console.log(await writer.recordInteraction("alice", 3, true, 120.5)); // 1
   * await metrics.close();
   * ```
   */
  writer(options: WriterOptions): MetricsWriter<number | undefined>;
  writer(options: WriterOptions = {}): MetricsWriter<number | undefined> {
    assertNoMore("writer", arguments, 1);
    return new MetricsWriter(this.#log, options);
  }

  /**
   * Returns the statistics of one user (specification, section 2.6). For a user with no interaction all counts and
   * rates are 0, and `current_level` is absent.
   *
   * @example
   * ```ts
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * await metrics.recordInteraction("alice", 3, true, 120.5);
   * console.log((await metrics.getUserStats("alice")).current_level); // 3
   * await metrics.close();
   * ```
   */
  getUserStats(userId: string): Promise<UserStats>;
  /**
   * The same for the interactions between two moments. `current_level` is the level of the newest of them. Interactions
   * without a readable timestamp are left out. The time that a call takes does not grow with the number of interactions;
   * for a limit that is not the beginning of a day, the interactions of its day are read. Of tables that Citus distributes,
   * all interactions of the user are read.
   *
   * @param options.since First moment that is included: a Date, or text in UTC (`YYYY-MM-DD`, `YYYY-MM-DDTHH:MM:SS`).
   * @param options.until First moment that is not included any more, in the same forms.
   * @param options.percentiles True to add the percentiles `p50`, `p95` and `p99` of the response times, in milliseconds;
   * all interactions of the range are then read, except for more than 100,000 if a key is declared (the option `breakdown`):
   * then sums answer, but not about hours, with an error of at most 1 %. Null without a response time.
   * @throws ValidationError that names the argument.
   *
   * @example
   * ```ts
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * await metrics.recordInteraction("alice", 3, true, 120.5);
   * const weekAgo = new Date(Date.now() - 7 * 24 * 60 * 60 * 1000);
   * console.log((await metrics.getUserStats("alice", { since: weekAgo })).total_operations); // 1
   * await metrics.close();
   * ```
   */
  getUserStats(userId: string, options?: StatisticsOptions): Promise<UserStats & Partial<Percentiles>>;
  async getUserStats(userId: string, options?: StatisticsOptions): Promise<UserStats & Partial<Percentiles>> {
    assertNoMore("getUserStats", arguments, 2);
    assertText("userId", userId);
    const { range, percentiles } = askedStatistics(options);
    const question = (questions: StatisticsReader, session?: Session): Promise<UserStats> =>
      range === undefined ? questions.user(userId, session) : questions.userBetween(userId, range, session);
    if (!percentiles) return this.#log.ask((questions) => question(questions));
    const found = await this.#log.askWithPercentiles(question, { user: userId, range });
    return { ...found.answer, ...(found.percentiles.get("") ?? NO_PERCENTILES) };
  }

  /**
   * Returns the statistics over all users (specification, section 2.7).
   *
   * @example
   * ```ts
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * await metrics.recordInteraction("alice", 3, true, 120.5);
   * console.log((await metrics.getGlobalStats()).total_users); // 1
   * await metrics.close();
   * ```
   */
  getGlobalStats(): Promise<GlobalStats>;
  /**
   * The same for the interactions between two moments, as in {@link getUserStats}. The time that a call takes grows with
   * the number of users, not of interactions: a user of several days counts once, so that each user is looked up.
   *
   * @param options.since First moment that is included: a Date, or text in UTC (`YYYY-MM-DD`, `YYYY-MM-DDTHH:MM:SS`).
   * @param options.until First moment that is not included any more, in the same forms.
   * @param options.percentiles True to add percentiles of the response times; see {@link getUserStats}.
   * @throws ValidationError that names the argument.
   *
   * @example
   * ```ts
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * await metrics.recordInteraction("alice", 3, true, 120.5);
   * console.log((await metrics.getGlobalStats({ until: "2025-01-01" })).total_users); // 0
   * await metrics.close();
   * ```
   */
  getGlobalStats(options?: StatisticsOptions): Promise<GlobalStats & Partial<Percentiles>>;
  async getGlobalStats(options?: StatisticsOptions): Promise<GlobalStats & Partial<Percentiles>> {
    assertNoMore("getGlobalStats", arguments, 1);
    const { range, percentiles } = askedStatistics(options);
    const question = (questions: StatisticsReader, session?: Session): Promise<GlobalStats> =>
      range === undefined ? questions.global(session) : questions.globalBetween(range, session);
    if (!percentiles) return this.#log.ask((questions) => question(questions));
    const found = await this.#log.askWithPercentiles(question, { user: undefined, range });
    return { ...found.answer, ...(found.percentiles.get("") ?? NO_PERCENTILES) };
  }

  /**
   * Returns the ids of all users with an interaction, each once, sorted by code point.
   *
   * @example
   * ```ts
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * await metrics.recordInteraction("alice", 3, true, 120.5);
   * console.log(await metrics.getAllUsers()); // [ 'alice' ]
   * await metrics.close();
   * ```
   */
  async getAllUsers(): Promise<string[]> {
    assertNoMore("getAllUsers", arguments, 0);
    return this.#log.ask((questions) => questions.users());
  }

  /**
   * Returns the interactions of one user by hour, day, week or month, with the trust at the end of each period
   * (specification, section 1). Periods are in UTC and in order of time; periods without interactions are left out.
   * `since` and `until` limit the interactions that are counted; trust takes earlier interactions into account too, in
   * the order of their ids. Interactions without a readable timestamp have no period and are left out.
   *
   * The time that a call takes does not grow with the number of interactions, with three exceptions that read
   * interactions: periods of an hour (those between `since` and `until`), other figures of `trust.gain` and `trust.loss`
   * (all of the user), and days whose interactions have ids that are interleaved with those of other days (those of
   * these days).
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
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * await metrics.recordInteraction("alice", 3, true, 120.5);
   * const [today] = await metrics.getUserTrend("alice", { bucket: "day" });
   * console.log(today?.total_operations, today?.trust); // 1 0.55
   * await metrics.close();
   * ```
   */
  async getUserTrend(
    userId: string,
    options: UserTrendOptions = {},
  ): Promise<(UserTrendPeriod & Partial<Percentiles>)[]> {
    assertNoMore("getUserTrend", arguments, 2);
    assertText("userId", userId);
    const asked = askedUserTrend(options);
    return this.#trend(userId, asked, (questions, session) => questions.userTrend(userId, asked, session));
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
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * await metrics.recordInteraction("alice", 3, true, 120.5);
   * await metrics.recordInteraction("bob", 2, false, 80);
   * const [thisMonth] = await metrics.getGlobalTrend({ bucket: "month" });
   * console.log(thisMonth?.total_operations, thisMonth?.success_rate); // 2 0.5
   * await metrics.close();
   * ```
   */
  async getGlobalTrend(options: TrendOptions = {}): Promise<(TrendPeriod & Partial<Percentiles>)[]> {
    assertNoMore("getGlobalTrend", arguments, 1);
    const asked = askedTrend(options);
    return this.#trend(undefined, asked, (questions, session) => questions.globalTrend(asked, session));
  }

  /** The periods of a trend, with the percentiles of each if they are asked for. */
  async #trend<Period extends TrendPeriod>(
    user: string | undefined,
    { bucket, since, until, percentiles }: AskedTrend,
    question: (questions: StatisticsReader, session?: Session) => Promise<Period[]>,
  ): Promise<(Period & Partial<Percentiles>)[]> {
    if (!percentiles) return this.#log.ask((questions) => question(questions));
    const found = await this.#log.askWithPercentiles(question, { user, range: { since, until } }, bucket);
    return found.answer.map((period) => ({
      ...period,
      ...(found.percentiles.get(period.period) ?? NO_PERCENTILES),
    }));
  }

  /**
   * Returns figures for each value that interactions have under a key of their metadata, such as the success rate and the
   * response times of each tool. Values with most interactions come first; interactions without the key are counted under
   * null, and so are those whose metadata have an escaped NUL character or half of a surrogate pair, which PostgreSQL does not look into.
   *
   * All interactions of the range or of the user are read, unless the key and the numbers are declared, by the option
   * `breakdown` of a collector. Then a breakdown of more than 100,000 interactions is answered from sums, and its
   * percentiles have a relative error of at most 1 %.
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
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * await metrics.recordMetric("alice", true, 120, { tool: "search" });
   * await metrics.recordMetric("alice", false, 80, { tool: "search" });
   * const [search] = await metrics.getBreakdown("tool");
   * console.log(search?.value, search?.success_rate, search?.p50); // search 0.5 100
   * await metrics.close();
   * ```
   *
   * @example
   * ```ts
   * const breakdown = { keys: ["tool"], numbers: ["tokens"] };
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents", { breakdown });
   * await metrics.recordMetric("alice", true, 120, { tool: "search", tokens: 200 });
   * const [search] = await metrics.getBreakdown("tool", { numbers: ["tokens"] });
   * console.log(search?.numbers?.["tokens"]?.sum); // 200
   * await metrics.close();
   * ```
   */
  async getBreakdown(key: string, options?: BreakdownOptions): Promise<BreakdownRow[]> {
    assertNoMore("getBreakdown", arguments, 2);
    return this.#log.breakdown(askedBreakdown(key, options));
  }

  /**
   * Lists the interactions with their metadata, newest first. Rows are read some hundred at a time, so that little memory
   * is needed for any number of rows, and no transaction is open between them. Rows that are recorded meanwhile are not
   * listed.
   *
   * @param options.user_id Lists the interactions of this user only.
   * @param options.since First moment that is included: a Date, or text in UTC (`YYYY-MM-DD`, `YYYY-MM-DDTHH:MM:SS`).
   * @param options.until First moment that is not included any more, in the same forms.
   * @param options.success Lists the interactions with this result only.
   * @param options.where Lists the interactions whose metadata have these values only, such as `{ tool: "search" }`.
   * @param options.order `newest` first (the default) or `oldest` first, by id.
   * @throws ValidationError that names the option.
   *
   * @example
   * ```ts
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * await metrics.recordMetric("alice", true, 120, { tool: "search" });
   * await metrics.recordMetric("alice", false, 80, { tool: "fetch" });
   * for await (const { id, metadata } of metrics.listInteractions({ where: { tool: "fetch" } }))
   *   console.log(id, metadata); // 2 { tool: 'fetch' }
   * await metrics.close();
   * ```
   */
  listInteractions(options?: ListOptions): AsyncIterableIterator<ListedInteraction<"level">> {
    assertNoMore("listInteractions", arguments, 1);
    return this.#log.list(askedList(options));
  }

  /**
   * Writes all interactions to a file: `.json` (one document with metadata, users, global, interactions), `.jsonl` (one
   * line per interaction) or `.csv` (RFC 4180). The file is written completely or not at all, and shows the data of one
   * moment.
   *
   * @param options.onProgress Called with the number of interactions written so far and their total number.
   * @returns Number of interactions that were written.
   * @throws ValidationError for another extension; nothing is written.
   *
   * @example
   * ```ts
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * await metrics.recordInteraction("alice", 3, true, 120.5);
   * console.log(await metrics.exportMetrics("metrics.jsonl")); // 1
   * await metrics.close();
   * ```
   */
  async exportMetrics(filepath: FilePath, options: ExportOptions = {}): Promise<number> {
    assertNoMore("exportMetrics", arguments, 2);
    return this.#log.exportTo(pathText("filepath", filepath), options);
  }

  /**
   * Deletes everything of one user: interactions, metadata and statistics. Interactions that are recorded while the call
   * runs are kept. Rows are deleted in transactions of a few thousand, between and during which other programs record;
   * after a crash or a broken connection the call can be repeated for the rest. A role under a policy deletes the rows
   * that it may see and delete.
   *
   * The server's write-ahead log, its replicas and its backups keep copies, also with `erase`, until they are removed
   * there.
   *
   * @param options.erase True to leave no copy in the files of the tables, where PostgreSQL keeps deleted rows: rewrites
   * the tables (`VACUUM (FULL, ANALYZE)`) while all other programs wait. Refused before anything is deleted if the tables
   * have more than 256 MiB, or if the role may not rewrite them: the message has the commands for an administrator.
   * @param options.onProgress Called with the number of deleted interactions and their total number.
   * @returns Numbers of deleted interactions and of their metadata; 0 for an unknown user.
   * @throws ValidationError that names the argument; StorageError or BusyError if not everything could be deleted or
   * erased: what was deleted before stays deleted.
   *
   * @example
   * ```ts
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * await metrics.recordInteraction("alice", 3, true, 120.5);
   * console.log(await metrics.forgetUser("alice")); // { interactions: 1, metadata: 0 }
   * console.log(await metrics.getAllUsers()); // []
   * await metrics.close();
   * ```
   */
  async forgetUser(userId: string, options: DeletionOptions = {}): Promise<Deleted> {
    assertNoMore("forgetUser", arguments, 2);
    return this.#log.deleteAsync(checkedForgetting(userId, options));
  }

  /**
   * Deletes the interactions before a moment, of all users or of one, with their metadata, as {@link forgetUser} does.
   * Statistics and trends are then those of the remaining interactions; trust starts at its initial value before the
   * first of them. Interactions without a readable timestamp are kept.
   *
   * @param time The first moment that is kept: a Date, or text in UTC (`YYYY-MM-DD`, `YYYY-MM-DDTHH:MM:SS`).
   * @param options.user_id Deletes interactions of this user only.
   * @param options.erase True to leave no copy in the files of the tables; see {@link forgetUser}.
   * @param options.onProgress Called with the number of deleted interactions and their total number.
   * @returns Numbers of deleted interactions and of their metadata.
   * @throws ValidationError that names the argument; StorageError or BusyError if not everything could be deleted or
   * erased: what was deleted before stays deleted.
   *
   * @example
   * ```ts
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * await metrics.recordInteraction("alice", 3, true, 120.5);
   * const ninetyDays = 90 * 24 * 60 * 60 * 1000;
   * console.log(await metrics.deleteBefore(new Date(Date.now() - ninetyDays))); // { interactions: 0, metadata: 0 }
   * await metrics.close();
   * ```
   */
  async deleteBefore(time: Date | string, options: DeleteBeforeOptions = {}): Promise<Deleted> {
    assertNoMore("deleteBefore", arguments, 2);
    return this.#log.deleteAsync(checkedDeletion(time, options));
  }

  /**
   * Compares the statistics with a count of all rows, and corrects wrong ones. Triggers notice changes of rows, so that
   * statistics can only be wrong if the triggers were bypassed: a partition was detached, or the `perdura_` tables were
   * changed. Takes as long as reading the whole table; other calls can record during this time.
   *
   * @returns Number of counted users, and the users whose statistics were wrong before.
   * @throws StorageError if the server cannot be reached, or the role may not change the `perdura_` tables.
   *
   * @example
   * ```ts
   * const metrics = new PostgresMetricsCollector("postgres://localhost/agents");
   * await metrics.recordInteraction("alice", 3, true, 120.5);
   * console.log(await metrics.recount()); // { users: 1, wrongUsers: [], wrongTotals: false }
   * await metrics.close();
   * ```
   */
  async recount(): Promise<Recount> {
    assertNoMore("recount", arguments, 0);
    return this.#log.recount();
  }

  /**
   * Writes the rows that the writers of this collector have queued, then closes the connections. A pool that was passed
   * stays open. A second call does nothing.
   */
  async close(): Promise<void> {
    await this.#log.close();
  }

  /** Calls {@link close} at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
