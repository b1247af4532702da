/**
 * An MCP server for pattern libraries and metrics.
 *
 * @module
 */
export { perduraServer, type ServerOptions } from "./server.ts";
export { type Loaded, type Metrics, openStore, type Store, type StoreOptions } from "./store.ts";
export type { AnyQuestions, MetricsQuestions } from "@perdura/internals/metrics/questions.js";
export type { InvalidPattern } from "@perdura/internals/patterns/invalid_patterns.js";
export { VERSION } from "./version.ts";
