import type { Attributes, HrTime, SpanContext, SpanKind, SpanStatus } from "@opentelemetry/api";

/**
 * The part of a finished span that a processor reads. `ReadableSpan` has it in every SDK of OpenTelemetry:
 * `@opentelemetry/sdk-trace-base` 1 and 2, and `@opentelemetry/sdk-trace` 3.
 */
export interface FinishedSpan {
  /** Name of the span, for example `execute_tool search`. */
  readonly name: string;
  /** Kind of the span. */
  readonly kind: SpanKind;
  /** Attributes of the span. */
  readonly attributes: Attributes;
  /** Status of the span: unset, OK or error. */
  readonly status: SpanStatus;
  /** Duration: seconds, and nanoseconds of the last second. */
  readonly duration: HrTime;
  /** Events of the span, exceptions among them. */
  readonly events: readonly { readonly name: string; readonly attributes?: Attributes }[];
  /** The program that made the span. */
  readonly resource: { readonly attributes: Attributes };
  /** Identifiers of the trace and of the span. */
  spanContext(): SpanContext;
}
