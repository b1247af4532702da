import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Attributes, context, type Span, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, type SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { onTestFinished } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";

/** Makes the spans of asynchronous code children of the span around it, for the test. */
export function followContext(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  onTestFinished(() => context.disable());
}

/** A tracer whose spans reach the processor. */
export function tracerOf(processor: SpanProcessor): Tracer {
  return new BasicTracerProvider({ spanProcessors: [processor] }).getTracer("test");
}

/** Makes a finished span, inside of another if one is given. */
export function span(
  tracer: Tracer,
  attributes: Attributes,
  { within, status = SpanStatusCode.UNSET }: { within?: Span; status?: SpanStatusCode } = {},
): void {
  const around = within === undefined ? context.active() : trace.setSpan(context.active(), within);
  const made = tracer.startSpan("span", { attributes }, around);
  made.setStatus({ code: status });
  made.end();
}

/** Makes the span of a successful tool. */
export const toolSpan = (tracer: Tracer, more: Attributes = {}): void =>
  span(tracer, { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", ...more });

/** A row of an export, without id and time. */
export interface Row {
  user_id: string;
  level?: number;
  empathy_level?: number;
  success: boolean;
  response_time_ms: number;
  metadata: Record<string, unknown>;
}

/** All stored rows, in the order of their ids. */
export async function rowsOf(collector: { exportMetrics(path: string): unknown }): Promise<Row[]> {
  const file = join(freshFolder(), "rows.jsonl");
  await collector.exportMetrics(file);
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Row);
}

/** Metadata of all stored rows. */
export const metadataOf = async (collector: Parameters<typeof rowsOf>[0]): Promise<Row["metadata"][]> =>
  (await rowsOf(collector)).map(({ metadata }) => metadata);
