import { assertNoMore } from "@perdura/internals/text/options.js";
import type { JsonObjectInput } from "@perdura/internals/json/values.js";
import { WriterBase } from "@perdura/internals/metrics/writer_base.js";
import { checkedMetric } from "./checked_metric.ts";

/**
 * Records interactions for many concurrent callers. Each promise resolves when its row is durable. All rows that are
 * recorded in one turn of the event loop are one transaction. Created by `MetricsCollector.writer()`.
 */
export class MetricsWriter<Id extends number | undefined = number> extends WriterBase<Id> {
  /**
   * Adds one interaction at a given empathy level, as `MetricsCollector.recordMetric` does.
   *
   * @param userId Identifier of the user; not empty.
   * @param empathyLevel Integer from 1 to 5.
   * @param success True if the interaction succeeded.
   * @param responseTimeMs Response time in milliseconds; finite, 0 or more.
   * @param metadata Any JSON object, or null; stored exactly, in the side table `interaction_metadata`.
   * @returns Promise that resolves when the row is durable. It rejects with a ValidationError that names the argument,
   * or with the error because of which the row was not stored; other rows are still stored. With `onError` it never
   * rejects.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * const writer = metrics.writer();
   * await writer.recordMetric("alice", 4, true, 80, { tool: "search" });
   * console.log(metrics.getUserStats("alice").total_operations); // 1
   * metrics.close();
   * ```
   */
  async recordMetric(
    userId: string,
    empathyLevel: number,
    success: boolean,
    responseTimeMs: number,
    metadata: JsonObjectInput | null = null,
  ): Promise<void> {
    await this.store(() => {
      assertNoMore("recordMetric", arguments, 5);
      return checkedMetric(userId, empathyLevel, success, responseTimeMs, metadata);
    });
  }
}
