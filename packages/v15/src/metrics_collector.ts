import { assertNoMore } from "@perdura/internals/text/options.js";
import type { WriterOptions } from "@perdura/internals/metrics/writer_base.js";
import type { JsonObjectInput } from "@perdura/internals/json/values.js";
import { type FilePath, pathText } from "@perdura/internals/files/places.js";
import { checkRecords, type RecordFields, requiredLevel } from "@perdura/internals/metrics/check_record.js";
import { CollectorBase } from "@perdura/internals/metrics/collector_base.js";
import { InteractionLog } from "@perdura/internals/metrics/interaction_log.js";
import type { MetricsOptions } from "@perdura/internals/metrics/options.js";
import { checkedMetric } from "./checked_metric.ts";
import { MetricsWriter } from "./metrics_writer.ts";

/** One interaction for {@link MetricsCollector.recordMany}, with the field names of specification section 2.5. */
export interface InteractionRecord extends RecordFields {
  /** Integer from 1 to 5. */
  empathy_level: number;
}

/**
 * Records interactions with their empathy level in an SQLite file and aggregates them (specification, sections 4.2 and
 * 4.3). A collector keeps one connection open, with prepared statements and a write-ahead log. Several processes may
 * record into one file at the same time.
 *
 * @example
 * ```ts
 * const metrics = new MetricsCollector("metrics.db");
 * metrics.recordMetric("alice", 4, true, 120.5, { tool: "search" });
 * console.log(metrics.getUserStats("alice").current_level); // 4
 * metrics.close();
 * ```
 */
export class MetricsCollector extends CollectorBase<"empathy_level"> {
  readonly #log: InteractionLog;

  /**
   * Opens the database; creates it if it does not exist.
   *
   * @param dbPath The SQLite file; its directory must exist.
   * @param options Durability, busy time-out and clock.
   * @throws UnsupportedFormatError for a database of the 16+ line or of a program that used other names for tables or
   * columns; CorruptDataError for a file that is not an SQLite database; FileNotFoundError if the directory is missing.
   */
  constructor(dbPath: FilePath = "./metrics.db", options: MetricsOptions = {}) {
    const log = new InteractionLog(pathText("dbPath", dbPath), "empathy_level", options);
    super(log);
    this.#log = log;
  }

  /**
   * Adds one interaction at a given empathy level (specification, section 4.3).
   *
   * @param userId Identifier of the user; not empty.
   * @param empathyLevel Integer from 1 to 5.
   * @param success True if the interaction succeeded.
   * @param responseTimeMs Response time in milliseconds; finite, 0 or more.
   * @param metadata Any JSON object, or null; stored exactly, in the side table `interaction_metadata`.
   * @throws ValidationError naming the argument; nothing is written.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * metrics.recordMetric("alice", 4, true, 80, { tool: "search" });
   * console.log(metrics.getUserStats("alice").level_4_count); // 1
   * ```
   */
  recordMetric(
    userId: string,
    empathyLevel: number,
    success: boolean,
    responseTimeMs: number,
    metadata: JsonObjectInput | null = null,
  ): void {
    assertNoMore("recordMetric", arguments, 5);
    this.#log.append(checkedMetric(userId, empathyLevel, success, responseTimeMs, metadata));
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
   * await Promise.all([writer.recordMetric("alice", 3, true, 80), writer.recordMetric("bob", 1, false, 95)]);
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
   * console.log(metrics.recordMany([{ user_id: "alice", empathy_level: 2, success: true, response_time_ms: 35 }])); // 1
   * ```
   */
  recordMany(records: Iterable<InteractionRecord>): number {
    assertNoMore("recordMany", arguments, 1);
    return this.#log.appendAll(
      checkRecords(records, "empathy_level", (record, where) =>
        requiredLevel(`${where}.empathy_level`, record.empathy_level),
      ),
    );
  }
}
