import type { JsonObjectInput } from "../json/values.ts";
import { WriterBase } from "../metrics/writer_base.ts";
import { assertNoMore } from "../text/options.ts";
import { checkedMetric } from "./records.ts";

/**
 * Records interactions for many concurrent callers. Each promise resolves when its row is durable. All rows that are
 * recorded in one turn of the event loop are one transaction. Created by `MetricsCollector.writer()` of the 16+ line.
 */
export class MetricsWriter<Id extends number | undefined = number> extends WriterBase<Id> {
  /**
   * Adds one interaction at the user's current level, as `MetricsCollector.recordMetric` does.
   *
   * @param userId Identifier of the user; not empty.
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
   * await writer.recordMetric("alice", true, 80, { tool: "search" });
   * console.log(metrics.getUserStats("alice").total_operations); // 1
   * metrics.close();
   * ```
   */
  async recordMetric(
    userId: string,
    success: boolean,
    responseTimeMs: number,
    metadata: JsonObjectInput | null = null,
  ): Promise<void> {
    await this.store(() => {
      const metric = checkedMetric(userId, success, responseTimeMs, metadata);
      assertNoMore("recordMetric", arguments, 4);
      return metric;
    });
  }
}
