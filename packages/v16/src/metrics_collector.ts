/**
 * Recording metrics and asking about them in the 16+ line (specification, sections 4.2 and 4.3).
 *
 * @module
 */
import type { JsonObject } from "@perdura/internals/json/values.js";
import { CollectorBase } from "@perdura/internals/metrics/collector_base.js";
import { InteractionLog } from "@perdura/internals/metrics/interaction_log.js";
import type { MetricsOptions } from "@perdura/internals/metrics/options.js";
import { checkedMetric, checkedRecords, type InteractionRecord } from "@perdura/internals/line16/records.js";
import { MetricsWriter } from "@perdura/internals/line16/metrics_writer.js";

export type { ExportOptions, ExportProgress } from "@perdura/internals/metrics/export_progress.js";
export type { MetricsOptions } from "@perdura/internals/metrics/options.js";
export type { InteractionRecord } from "@perdura/internals/line16/records.js";
export type { MetricsWriter } from "@perdura/internals/line16/metrics_writer.js";
export type { GlobalStats, UserStats } from "@perdura/internals/metrics/stats.js";

/**
 * Records interactions in an SQLite file and aggregates them (specification, section 4.2). One open connection with
 * prepared statements and a write-ahead log; several processes may record into one file at once.
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
export class MetricsCollector extends CollectorBase {
  readonly #log: InteractionLog;

  /**
   * Opens the database, and creates it where it is missing.
   *
   * @param dbPath The SQLite file; its directory must exist.
   * @throws UnsupportedFormatError for a database of versions before 16 (see UPGRADING); CorruptDataError for a file
   * that is not an SQLite database; FileNotFoundError when the directory is missing.
   */
  constructor(dbPath: string = "./metrics.db", options: MetricsOptions = {}) {
    const log = new InteractionLog(dbPath, "level", options);
    super(log);
    this.#log = log;
  }

  /**
   * Adds one interaction at the user's current level, which is the level of the user's newest interaction, else 1.
   *
   * @param userId Identifier of the user; not empty.
   * @param success Whether the interaction succeeded.
   * @param responseTimeMs Response time in milliseconds; finite, 0 or more.
   * @param metadata Any JSON object; kept exactly, in the side table `interaction_metadata`.
   * @throws ValidationError naming the argument; nothing is written.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordMetric("alice", true, 80, { tool: "search" });
   * console.log(metrics.getUserStats("alice").level_1_count); // 1
   * ```
   */
  recordMetric(userId: string, success: boolean, responseTimeMs: number, metadata: JsonObject | null = null): void {
    this.#log.append(checkedMetric(userId, success, responseTimeMs, metadata));
  }

  /**
   * Gives a writer whose calls return promises: they resolve when the row is durable, and everything that is recorded in
   * one turn of the event loop goes to the disk together. For many concurrent callers that is many times faster.
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
  writer(): MetricsWriter {
    return new MetricsWriter(this.#log);
  }

  /**
   * Adds many interactions in one transaction: all of them or none. They are taken one by one, so a generator need not
   * have them in memory; other processes cannot write until the last one came.
   *
   * @param records An array or another iterable; taking a record must not call this collector. What it throws itself
   * comes out as it is; nothing is written.
   * @returns How many were added.
   * @throws ValidationError naming the record and its field; nothing is written.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * console.log(metrics.recordMany([{ user_id: "alice", level: 2, success: true, response_time_ms: 35 }])); // 1
   * ```
   */
  recordMany(records: Iterable<InteractionRecord>): number {
    return this.#log.appendAll(checkedRecords(records));
  }
}
