import type { AsyncMetrics, AsyncPersistence } from "./async_persistence.ts";
import type { Persistence } from "./open_persistence.ts";

/**
 * Wraps a persistence in methods that return promises. Rows that are recorded in one turn of the event loop are
 * committed together.
 */
export function asAsync(persistence: Persistence): AsyncPersistence {
  const { user_id, metrics, patterns } = persistence;
  const writer = metrics.writer();
  const asyncMetrics: AsyncMetrics = {
    recordInteraction: (...interaction) => writer.recordInteraction(...interaction),
    recordMetric: (...metric) => writer.recordMetric(...metric),
    recordMany: async (records) => metrics.recordMany(records),
    getUserStats: async (userId) => metrics.getUserStats(userId),
    getGlobalStats: async () => metrics.getGlobalStats(),
    getAllUsers: async () => metrics.getAllUsers(),
    getUserTrend: async (userId, options) => metrics.getUserTrend(userId, options),
    getGlobalTrend: async (options) => metrics.getGlobalTrend(options),
    exportMetrics: async (filepath, options) => metrics.exportMetrics(filepath, options),
  };
  const close = async (): Promise<void> => persistence.close();
  return {
    user_id,
    patterns: {
      save: async (library, options) => patterns.save(library, options),
      load: async (options) => patterns.load(options),
    },
    metrics: asyncMetrics,
    close,
    [Symbol.asyncDispose]: close,
  };
}
