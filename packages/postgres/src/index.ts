/**
 * perdura 16 on PostgreSQL.
 *
 * @module
 */
export type { PostgresPlace } from "./connection/address.ts";
export type { PostgresOptions } from "./connection/options.ts";
export type { PostgresClient, PostgresPool, PostgresResult } from "./connection/pool_types.ts";
export type { InvalidPattern, LibraryLoadOptions } from "@perdura/internals/patterns/invalid_patterns.js";
export type { NonFinite } from "@perdura/internals/json/load_options.js";
export type { DeletedUsage, DeleteUsageOptions } from "@perdura/internals/patterns/usage_deletion.js";
export { PostgresPatternPersistence, type SaveOptions } from "./patterns/pattern_persistence.ts";
export { PostgresMetricsCollector, type PostgresMetricsOptions } from "./metrics/metrics_collector.ts";
export type { MetricsWriter } from "@perdura/internals/line16/metrics_writer.js";
export type { WriterOptions } from "@perdura/internals/metrics/writer_base.js";
export type {
  DeleteBeforeOptions,
  Deleted,
  DeletionOptions,
  DeletionProgress,
} from "@perdura/internals/metrics/deletion/deletion.js";
export type { Recount } from "./layout/compare_sums.ts";
export type { RecordOptions } from "./metrics/idempotency.ts";
