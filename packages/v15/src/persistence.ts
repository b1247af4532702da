/**
 * The facade of the pre-16 line (specification, section 9). This module exports the whole API of the line.
 *
 * @module
 */
export * from "@perdura/internals/public.js";
export { type InteractionRecord, MetricsCollector } from "./metrics_collector.ts";
export type { MetricsWriter } from "./metrics_writer.ts";
export { type Configuration, openPersistence, type Persistence } from "./open_persistence.ts";
export { type CollaborationState, type CollaborationStateFields, StateManager } from "./state_manager.ts";
