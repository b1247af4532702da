import type { JsonObjectInput } from "@perdura/internals/json/values.js";

/** One interaction that was a span, with the field names of specification section 2.5. */
export interface SpanRecord {
  /** Identifier of the user. */
  user_id: string;
  /** True if the operation succeeded. */
  success: boolean;
  /** Duration of the span in milliseconds. */
  response_time_ms: number;
  /** Operation, tool, model, provider, agent, tokens and type of the error, as far as the span has them. */
  metadata?: JsonObjectInput | null | undefined;
  /** Integer from 1 to 5; for collectors of version 16. */
  level?: number | undefined;
  /** Integer from 1 to 5; for collectors before version 16. */
  empathy_level?: number | undefined;
}

/**
 * The part of a collector that a processor uses: `MetricsCollector` of both lines, `PostgresMetricsCollector`, and `metrics` of
 * `openPersistence` and `openPersistenceAsync` have it.
 */
export interface SpanCollector {
  /** Adds interactions, all of them or none. */
  recordMany(records: Iterable<SpanRecord>): number | Promise<number>;
  /** Name of the level in records; `level` by default. */
  readonly levelColumn?: "level" | "empathy_level";
}
