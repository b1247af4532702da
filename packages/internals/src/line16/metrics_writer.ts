import type { JsonObject } from "../json/values.ts";
import { WriterBase } from "../metrics/writer_base.ts";
import { checkedMetric } from "./records.ts";

/**
 * Records for many concurrent callers: each call resolves when its row is durable, and everything that is recorded in one
 * turn of the event loop is one transaction. A collector of the 16 line gives one with `writer()`.
 */
export class MetricsWriter extends WriterBase {
  /**
   * Adds one interaction at the user's current level, as `MetricsCollector.recordMetric` does.
   *
   * @param userId Identifier of the user; not empty.
   * @param success Whether the interaction succeeded.
   * @param responseTimeMs Response time in milliseconds; finite, 0 or more.
   * @param metadata Any JSON object; kept exactly, in the side table `interaction_metadata`.
   * @returns Resolves once the row is durable. Rejects with a ValidationError that names the argument, or with what kept
   * the row from being stored; other rows are stored all the same.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * const writer = metrics.writer();
   * await writer.recordMetric("alice", true, 80, { tool: "search" });
   * console.log(metrics.getUserStats("alice").total_operations); // 1
   * metrics.close();
   * ```
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
