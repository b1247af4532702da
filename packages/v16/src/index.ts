/**
 * perdura 16: pattern libraries and metrics of the 16+ line, in SQLite and JSON.
 *
 * @module
 */
import manifest from "../package.json" with { type: "json" };
export * from "@perdura/internals/public.js";
export {
  type AsyncMetrics,
  type AsyncPatternStore,
  type AsyncPersistence,
  type AsyncPersistenceOptions,
  openPersistenceAsync,
} from "./async_persistence.ts";
export { type InteractionRecord, MetricsCollector } from "./metrics_collector.ts";
export type { MetricsWriter } from "@perdura/internals/line16/metrics_writer.js";
export { type Configuration, openPersistence, type Persistence } from "./open_persistence.ts";

/** The version of this line. */
export const VERSION: string = manifest.version;
