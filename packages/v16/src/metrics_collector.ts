/**
 * Recording metrics and querying statistics in the 16+ line (specification, sections 4.2 and 4.3).
 *
 * @module
 */
import { assertNoMore } from "@perdura/internals/text/options.js";
import type { WriterOptions } from "@perdura/internals/metrics/writer_base.js";
import type { JsonObjectInput } from "@perdura/internals/json/values.js";
import { type FilePath, pathText } from "@perdura/internals/files/places.js";
import { CollectorBase } from "@perdura/internals/metrics/collector_base.js";
import { InteractionLog } from "@perdura/internals/metrics/interaction_log.js";
import type { MetricsOptions } from "@perdura/internals/metrics/options.js";
import { checkedMetric, checkedRecords, type InteractionRecord } from "@perdura/internals/line16/records.js";
import { MetricsWriter } from "@perdura/internals/line16/metrics_writer.js";

export type { ExportOptions, ExportProgress } from "@perdura/internals/metrics/export_progress.js";
export type { Compacted } from "@perdura/internals/sqlite/compact.js";
export type {
  DeleteBeforeOptions,
  Deleted,
  DeletionOptions,
  DeletionProgress,
} from "@perdura/internals/metrics/deletion/deletion.js";
export type { WriterOptions } from "@perdura/internals/metrics/writer_base.js";
export type { BreakdownKeys, MetricsOptions } from "@perdura/internals/metrics/options.js";
export type { InteractionRecord } from "@perdura/internals/line16/records.js";
export type { MetricsWriter } from "@perdura/internals/line16/metrics_writer.js";
export type { GlobalStats, LevelCounts, UserStats } from "@perdura/internals/metrics/stats.js";
export type {
  BreakdownFigures,
  BreakdownOfOthers,
  BreakdownOfValue,
  BreakdownOptions,
  BreakdownRow,
  NumberFigures,
} from "@perdura/internals/metrics/breakdown/breakdown.js";
export type { Percentiles } from "@perdura/internals/metrics/breakdown/percentiles.js";
export type {
  ListedInteraction,
  ListOptions,
  StoredInteractionFields,
} from "@perdura/internals/metrics/listing/listing.js";
export type { RangeOptions, StatisticsOptions } from "@perdura/internals/metrics/time_range.js";
export type {
  Bucket,
  TrendOptions,
  TrendPeriod,
  UserTrendOptions,
  UserTrendPeriod,
} from "@perdura/internals/metrics/trends/trend.js";
export type { TrustFigures } from "@perdura/internals/metrics/trends/trust.js";

/**
 * Records interactions in an SQLite file and aggregates them (specification, section 4.2). A collector keeps one
 * connection open, with prepared statements and a write-ahead log. Several processes may record into one file at the
 * same time.
 *
 * @example
 * ```ts
 * const metrics = new MetricsCollector("metrics.db");
 * metrics.recordInteraction("alice", 3, true, 120.5);
 * metrics.recordMetric("alice", false, 80, { tool: "search" });
 * console.log(metrics.getUserStats("alice").success_rate); // 0.5
 * metrics.close();
 * ```
 */
export class MetricsCollector extends CollectorBase<"level"> {
  readonly #log: InteractionLog;

  /**
   * Opens the database; creates it if it does not exist.
   *
   * @param dbPath The SQLite file; its directory must exist.
   * @param options Durability, busy time-out and clock.
   * @throws UnsupportedFormatError for a pre-16 database (see UPGRADING); CorruptDataError for a file that is not an
   * SQLite database; FileNotFoundError if the directory is missing.
   */
  constructor(dbPath: FilePath = "./metrics.db", options: MetricsOptions = {}) {
    const log = new InteractionLog(pathText("dbPath", dbPath), "level", options);
    super(log);
    this.#log = log;
  }

  /**
   * Adds one interaction at the user's current level: the level of the user's newest interaction, or 1 for a user with
   * no interaction.
   *
   * @param userId Identifier of the user; not empty.
   * @param success True if the interaction succeeded.
   * @param responseTimeMs Response time in milliseconds; finite, 0 or more.
   * @param metadata Any JSON object, or null; stored exactly, in the side table `interaction_metadata`.
   * @throws ValidationError that names the argument; nothing is written.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordMetric("alice", true, 80, { tool: "search" });
   * console.log(metrics.getUserStats("alice").level_1_count); // 1
   * ```
   */
  recordMetric(
    userId: string,
    success: boolean,
    responseTimeMs: number,
    metadata: JsonObjectInput | null = null,
  ): void {
    // After the check, which explains the arguments of pre-16.
    const metric = checkedMetric(userId, success, responseTimeMs, metadata);
    assertNoMore("recordMetric", arguments, 4);
    this.#log.append(metric);
  }

  /**
   * Returns a writer whose calls return promises. Each promise resolves when its row is durable. All rows that are
   * recorded in one turn of the event loop are committed together, which is many times faster for many concurrent
   * callers.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * const writer = metrics.writer();
   * await Promise.all([writer.recordMetric("alice", true, 80), writer.recordMetric("bob", false, 95)]);
   * console.log(metrics.getGlobalStats().total_interactions); // 2
   * metrics.close();
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
   * const metrics = new MetricsCollector("metrics.db");
   * const writer = metrics.writer({ onError: (error) => console.error(error.message) });
   * console.log(await writer.recordInteraction("alice", 3, true, 120.5)); // 1
   * metrics.close();
   * ```
   */
  writer(options: WriterOptions): MetricsWriter<number | undefined>;
  writer(options: WriterOptions = {}): MetricsWriter<number | undefined> {
    assertNoMore("writer", arguments, 1);
    return new MetricsWriter(this.#log, options);
  }

  /**
   * Adds many interactions in one transaction: all of them or none. Records are read one at a time, so a generator does
   * not need to keep all of them in memory. Other processes cannot write until the last record was read.
   *
   * @param records An array or another iterable. Its code must not call this collector. An error that it throws is
   * passed on unchanged, and nothing is written.
   * @returns Number of interactions that were added.
   * @throws ValidationError that names the record and its field; nothing is written.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * console.log(metrics.recordMany([{ user_id: "alice", level: 2, success: true, response_time_ms: 35 }])); // 1
   * ```
   */
  recordMany(records: Iterable<InteractionRecord>): number {
    assertNoMore("recordMany", arguments, 1);
    return this.#log.appendAll(checkedRecords(records));
  }
}
