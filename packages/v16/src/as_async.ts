import type { ListedInteraction, ListOptions } from "@perdura/internals/metrics/listing/listing.js";
import type { AnyQuestions } from "@perdura/internals/metrics/questions.js";
import type { WriterOptions } from "@perdura/internals/metrics/writer_base.js";
import type { AsyncMetrics, AsyncPersistence } from "./async_persistence.ts";
import type { MetricsCollector } from "./metrics_collector.ts";
import type { Persistence } from "./open_persistence.ts";

/**
 * Wraps a persistence in methods that return promises. Rows that are recorded in one turn of the event loop are
 * committed together.
 */
export function asAsync(persistence: Persistence, options: WriterOptions): AsyncPersistence<number | undefined> {
  const { user_id, metrics, patterns } = persistence;
  const close = async (): Promise<void> => persistence.close();
  return {
    user_id,
    patterns: {
      save: async (...given) => patterns.save(...given),
      load: async (...given) => patterns.load(...given),
      deleteUsage: async (...given) => patterns.deleteUsage(...given),
    },
    metrics: withWriter(metrics, options),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A collector in SQLite or PostgreSQL that a writer can be made of. */
export type RecordedBy = Pick<MetricsCollector, "writer"> &
  AnyQuestions & {
    [Method in "recordMany" | "exportMetrics"]: (
      ...given: Parameters<AsyncMetrics[Method]>
    ) => ReturnType<AsyncMetrics[Method]> | Awaited<ReturnType<AsyncMetrics[Method]>>;
  } & {
    listInteractions(
      options?: ListOptions,
    ): IterableIterator<ListedInteraction<"level">> | AsyncIterableIterator<ListedInteraction<"level">>;
  };

/** The metrics of a collector, recorded through a writer. */
export function withWriter(metrics: RecordedBy, options: WriterOptions): AsyncMetrics<number | undefined> {
  const writer = metrics.writer(options);
  return {
    recordInteraction: (...interaction) => writer.recordInteraction(...interaction),
    recordMetric: (...metric) => writer.recordMetric(...metric),
    // All arguments, so that the collector refuses those that it does not have.
    recordMany: async (...given) => metrics.recordMany(...given),
    getUserStats: async (...given) => metrics.getUserStats(...given),
    getGlobalStats: async (...given) => metrics.getGlobalStats(...given),
    getAllUsers: async (...given) => metrics.getAllUsers(...given),
    getUserTrend: async (...given) => metrics.getUserTrend(...given),
    getGlobalTrend: async (...given) => metrics.getGlobalTrend(...given),
    getBreakdown: async (...given) => metrics.getBreakdown(...given),
    listInteractions: (...given) => inTurn(metrics.listInteractions(...given)),
    forgetUser: (...given) => writer.forgetUser(...given),
    deleteBefore: (...given) => writer.deleteBefore(...given),
    exportMetrics: async (...given) => metrics.exportMetrics(...given),
    get dropped() {
      return writer.dropped;
    },
  };
}

/** The same items, asynchronously. */
async function* inTurn<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item, undefined> {
  yield* items;
}
