/**
 * Recording the spans of agents as interactions.
 *
 * @module
 */
export type { SpanCollector, SpanRecord } from "./collector.ts";
export type { SpanCounts } from "./interaction_queue.ts";
export type { FinishedSpan } from "./span.ts";
export { type FromSpan, PerduraSpanProcessor, type SpanProcessorOptions } from "./span_processor.ts";
export { VERSION } from "./version.ts";
