import { rmSync } from "node:fs";
import { join } from "node:path";
import { BasicTracerProvider, NoopSpanProcessor, type SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { PerduraSpanProcessor } from "@perdura/otel";
import { type InteractionRecord, MetricsCollector } from "@perdura/v16";
import { type Side, spread } from "../measure/measure.ts";
import type { Place, Row } from "../row.ts";

/** Rows in one transaction of the processor. */
const TOGETHER = 512;

/** A span of a tool, as an agent's framework makes it. */
const ATTRIBUTES = {
  "gen_ai.operation.name": "execute_tool",
  "gen_ai.provider.name": "openai",
  "gen_ai.request.model": "gpt-5",
  "gen_ai.tool.name": "search",
  "gen_ai.tool.call.id": "call_0123456789",
  "gen_ai.tool.type": "function",
  "gen_ai.usage.input_tokens": 1234,
  "user.id": "user-7",
};

/** Makes spans and ends them. */
function makeSpans(processor: SpanProcessor, spans: number): void {
  const tracer = new BasicTracerProvider({ spanProcessors: [processor] }).getTracer("bench");
  for (let made = 0; made < spans; made += 1) tracer.startSpan("execute_tool", { attributes: ATTRIBUTES }).end();
}

/** The rows that the processor makes of these spans. */
const RECORDS: InteractionRecord[] = Array.from({ length: TOGETHER }, () => ({
  user_id: "user-7",
  success: true,
  response_time_ms: 0.012,
  metadata: { operation: "execute_tool", tool: "search", model: "gpt-5", provider: "openai", input_tokens: 1234 },
}));

function recordPlainly(metrics: MetricsCollector, spans: number): void {
  for (let left = spans; left > 0; left -= TOGETHER) metrics.recordMany(RECORDS.slice(0, Math.min(left, TOGETHER)));
}

/** A new database each round. */
function intoNew(name: string, path: string, round: (metrics: MetricsCollector) => number | Promise<number>): Side {
  let metrics: MetricsCollector | undefined;
  const prepare = (): void => {
    metrics?.close();
    for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
    metrics = new MetricsCollector(path);
  };
  return { name, prepare, round: () => round(metrics as MetricsCollector), close: () => metrics?.close() };
}

/** Microseconds of one of several operations. */
function timed(operations: number, task: () => void): number {
  const start = performance.now();
  task();
  return ((performance.now() - start) * 1000) / operations;
}

function ours({ directory, rows }: Place): Side {
  const path = join(directory, "perdura.db");
  const all: number[] = [];
  const before: number[] = [];
  const empty: number[] = [];
  const side = intoNew("perdura", path, async (metrics) => {
    const processor = new PerduraSpanProcessor(metrics, { maxQueueSize: rows, scheduledDelayMillis: 3_600_000 });
    const start = performance.now();
    makeSpans(processor, rows);
    before.push(((performance.now() - start) * 1000) / rows);
    await processor.forceFlush();
    all.push(((performance.now() - start) * 1000) / rows);
    empty.push(timed(rows, () => makeSpans(new NoopSpanProcessor(), rows)));
    return rows;
  });
  const round = async (): Promise<{ milliseconds: number }> => {
    await side.round();
    return { milliseconds: (all.at(-1) as number) / 1000 };
  };
  const remarks = (): string[] => {
    const [whole, made, plain] = [all, before, empty].map((times) => spread(times.slice(1)).median) as [
      number,
      number,
      number,
    ];
    const perSecond = Math.round(1e6 / whole).toLocaleString("en-US");
    const added = (made - plain).toFixed(1);
    return [
      `${perSecond} spans per second until they are stored; ${added} µs a span more than an empty processor before the write, ${(whole - made).toFixed(1)} µs a span in the write`,
    ];
  };
  return { ...side, round, remarks };
}

/** Spans of agents that become interactions. */
export const SPANS: Row = {
  name: "spans",
  what: "make a span of a tool with eight attributes, until it is stored as an interaction, per span",
  peer: "an empty span processor, and recordMany of the same rows",
  rounds: 7,
  rows: 20_000,
  atMost: 1.5,
  sides: {
    ours,
    peer: ({ directory, rows }) =>
      intoNew("empty processor", join(directory, "peer.db"), (metrics) => {
        makeSpans(new NoopSpanProcessor(), rows);
        recordPlainly(metrics, rows);
        return rows;
      }),
  },
};
