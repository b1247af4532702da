import type { JsonObject } from "@perdura/internals/json/values.js";
import { checkedMetric } from "@perdura/internals/metrics/records_of_16.js";
import { WriterBase } from "@perdura/internals/metrics/writer_base.js";

/** Records for many concurrent callers; see `PostgresMetricsCollector.writer`. */
export class PostgresMetricsWriter extends WriterBase {
  /**
   * Adds one interaction at the user's current level, as `PostgresMetricsCollector.recordMetric` does.
   *
   * @returns Resolves once the row is committed; rejects with what kept it from being stored.
   */
  async recordMetric(
    userId: string,
    success: boolean,
    responseTimeMs: number,
    metadata: JsonObject | null = null,
  ): Promise<void> {
    await this.enqueue(checkedMetric(userId, success, responseTimeMs, metadata));
  }
}
