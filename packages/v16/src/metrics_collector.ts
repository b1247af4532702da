import { ValidationError } from "@perdura/internals/errors/errors.js";
import type { JsonObject } from "@perdura/internals/json/values.js";
import { assertResponseTime, assertSuccess, metadataText } from "@perdura/internals/metrics/arguments.js";
import { checkRecords, type RecordFields, requiredLevel } from "@perdura/internals/metrics/check_record.js";
import { CollectorBase } from "@perdura/internals/metrics/collector_base.js";
import { InteractionLog } from "@perdura/internals/metrics/interaction_log.js";
import type { MetricsOptions } from "@perdura/internals/metrics/options.js";
import { assertIdentifier } from "@perdura/internals/text/identifiers.js";
import { describe } from "@perdura/internals/text/describe.js";

export type { MetricsOptions } from "@perdura/internals/metrics/options.js";
export type { GlobalStats, UserStats } from "@perdura/internals/metrics/stats.js";

/** One interaction for {@link MetricsCollector.recordMany}, with the field names of specification section 2.5. */
export interface InteractionRecord extends RecordFields {
  /** Integer from 1 to 5; absent means the user's current level, else 1. */
  level?: number | undefined;
}

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
   * that is no SQLite database; FileNotFoundError when the directory is missing.
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
    assertIdentifier("userId", userId);
    if (typeof success === "number") refuseRemovedLevel(`the second argument is the number ${describe(success)}`);
    assertSuccess("success", success);
    assertResponseTime("responseTimeMs", responseTimeMs);
    this.#log.append({ userId, level: null, success, responseTimeMs, metadata: metadataText(metadata) });
  }

  /**
   * Adds many interactions in one transaction: all of them or none.
   *
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
    return this.#log.appendAll(checkRecords(records, "level", levelOf));
  }
}

function refuseRemovedLevel(found: string): never {
  throw new ValidationError(
    `empathy_level was removed in 16.0.0, but ${found}. Call recordMetric(userId, success, responseTimeMs, metadata), or recordInteraction(userId, level, …) to set a level; see UPGRADING.md. Nothing was written.`,
  );
}

function levelOf(record: InteractionRecord, where: string): number | null {
  if ("empathy_level" in record) refuseRemovedLevel(`${where} has the field "empathy_level"`);
  return record.level === undefined ? null : requiredLevel(`${where}.level`, record.level);
}
