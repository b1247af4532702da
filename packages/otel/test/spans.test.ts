import { type Attributes, SpanStatusCode } from "@opentelemetry/api";
import { BasicTracerProvider, type SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { MetricsCollector } from "@perdura/v16";
import * as sdk3 from "sdk-trace-3";
import * as sdk1 from "sdk-trace-base-1";
import { describe, expect, test } from "vitest";
import { PerduraSpanProcessor } from "../src/index.ts";
import { metadataOf, rowsOf, span, tracerOf } from "./tracing.ts";

/** Spans of the conventions with the newest names and with former ones, and those of the AI SDK, with their metadata. */
const READ: [attributes: Attributes, metadata: object][] = [
  [
    {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-5",
      "gen_ai.response.model": "gpt-5-2026-01-01",
      "gen_ai.usage.input_tokens": 100,
      "gen_ai.usage.output_tokens": 20,
    },
    { operation: "chat", provider: "openai", model: "gpt-5", input_tokens: 100, output_tokens: 20 },
  ],
  [
    {
      "gen_ai.system": "anthropic",
      "gen_ai.request.model": "claude",
      "gen_ai.usage.prompt_tokens": 7,
      "gen_ai.usage.completion_tokens": 8,
    },
    { operation: "chat", provider: "anthropic", model: "claude", input_tokens: 7, output_tokens: 8 },
  ],
  [
    { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support" },
    { operation: "invoke_agent", agent: "support" },
  ],
  [
    { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search" },
    { operation: "execute_tool", tool: "search" },
  ],
  [
    { "ai.operationId": "ai.toolCall", "ai.toolCall.name": "search", "ai.telemetry.functionId": "support" },
    { operation: "execute_tool", tool: "search", agent: "support" },
  ],
  [
    { "ai.operationId": "ai.embedMany", "ai.model.id": "small", "ai.model.provider": "p", "ai.usage.tokens": 3 },
    { operation: "embeddings", model: "small", provider: "p", input_tokens: 3 },
  ],
  // Numbers that JSON cannot represent, and values of another type, are left out; texts are exact.
  [
    {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "\ud800",
      "gen_ai.usage.input_tokens": NaN,
      "gen_ai.agent.name": 7,
    },
    { operation: "execute_tool", tool: "\ud800" },
  ],
];

/** Spans of other kinds: the web, databases, a step of the AI SDK, a name that no convention has. */
const IGNORED: Attributes[] = [
  {},
  { "http.request.method": "GET" },
  { "gen_ai.operation.name": "agent_step" },
  { "gen_ai.system": "openai" },
  { "ai.operationId": "ai.generateText.somethingNew" },
  { "ai.operationId": "constructor" },
];

test("facts of a span are read under the newest, the former and the AI SDK's names", async () => {
  using metrics = new MetricsCollector(":memory:");
  const processor = new PerduraSpanProcessor(metrics);
  const tracer = tracerOf(processor);
  for (const [attributes] of [...READ, ...IGNORED.map((each) => [each] as const)]) span(tracer, attributes);
  await processor.forceFlush();
  expect(await metadataOf(metrics)).toEqual(READ.map(([, metadata]) => metadata));
  expect(processor.counts).toEqual({ recorded: READ.length, waiting: 0, dropped: 0 });
});

test("the status decides about success, and without one error.type", async () => {
  using metrics = new MetricsCollector(":memory:");
  const processor = new PerduraSpanProcessor(metrics);
  const tracer = tracerOf(processor);
  const chat = { "gen_ai.operation.name": "chat" };
  span(tracer, chat);
  span(tracer, { ...chat, "error.type": "timeout" });
  span(tracer, { ...chat, "error.type": "timeout" }, { status: SpanStatusCode.OK });
  span(tracer, chat, { status: SpanStatusCode.ERROR });
  await processor.forceFlush();
  expect((await rowsOf(metrics)).map(({ success, metadata }) => [success, metadata["error_type"]])).toEqual([
    [true, undefined],
    [false, "timeout"],
    [true, undefined],
    [false, undefined],
  ]);
});

test("a call that two nested spans describe is counted once, and an agent that another one invokes is counted", async () => {
  using metrics = new MetricsCollector(":memory:");
  const processor = new PerduraSpanProcessor(metrics);
  const tracer = tracerOf(processor);
  for (const operation of ["chat", "execute_tool", "embeddings", "invoke_agent"]) {
    const attributes = { "gen_ai.operation.name": operation };
    const outer = tracer.startSpan(operation, { attributes: { ...attributes, "gen_ai.agent.name": "outer" } });
    span(tracer, attributes, { within: outer });
    outer.end();
  }
  await processor.forceFlush();
  expect((await metadataOf(metrics)).map(({ operation, agent }) => [operation, agent])).toEqual([
    ["chat", "outer"],
    ["execute_tool", "outer"],
    ["embeddings", "outer"],
    ["invoke_agent", undefined],
    ["invoke_agent", "outer"],
  ]);
});

test("user and level come from attributes or functions, of the span or of the nearest one around it", async () => {
  using metrics = new MetricsCollector(":memory:");
  const byName = new PerduraSpanProcessor(metrics, { level: "app.level" });
  const request = tracerOf(byName).startSpan("request", { attributes: { "user.id": "alice", "app.level": 4 } });
  const tool = { "gen_ai.operation.name": "execute_tool" };
  span(tracerOf(byName), tool, { within: request });
  span(tracerOf(byName), { ...tool, "user.id": "bob" }, { within: request });
  span(tracerOf(byName), tool);
  await byName.forceFlush();
  const byFunction = new PerduraSpanProcessor(metrics, {
    user: ({ attributes }) => `tenant-${String(attributes["tenant"])}`,
    level: () => 2,
  });
  span(tracerOf(byFunction), { ...tool, tenant: 7 });
  await byFunction.forceFlush();
  expect((await rowsOf(metrics)).map(({ user_id, level }) => [user_id, level])).toEqual([
    ["alice", 4],
    ["bob", 4],
    ["unknown", 1],
    ["tenant-7", 2],
  ]);
});

test("only the named operations are recorded", async () => {
  using metrics = new MetricsCollector(":memory:");
  const processor = new PerduraSpanProcessor(metrics, { operations: ["execute_tool", "agent_step"] });
  for (const name of ["chat", "execute_tool", "agent_step"])
    span(tracerOf(processor), { "gen_ai.operation.name": name });
  await processor.forceFlush();
  expect((await metadataOf(metrics)).map(({ operation }) => operation)).toEqual(["execute_tool", "agent_step"]);
});

/** The SDK under each of its names. A processor is also assignable to the type that each expects. */
const SDKS = {
  "sdk-trace-base 1": (processor: sdk1.SpanProcessor) => new sdk1.BasicTracerProvider({ spanProcessors: [processor] }),
  "sdk-trace-base 2": (processor: SpanProcessor) => new BasicTracerProvider({ spanProcessors: [processor] }),
  "sdk-trace 3": (processor: sdk3.SpanProcessor) => new sdk3.TracerProvider({ spanProcessors: [processor] }),
};

describe.for(Object.entries(SDKS))("with %s", ([, provide]) => {
  test("spans become interactions with duration, user of the parent, and type of the exception", async () => {
    using metrics = new MetricsCollector(":memory:");
    const processor = new PerduraSpanProcessor(metrics);
    const provider = provide(processor);
    const tracer = provider.getTracer("test");
    const request = tracer.startSpan("request", { attributes: { "user.id": "alice" } });
    const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search" };
    span(tracer, attributes, { within: request });
    const failed = tracer.startSpan("tool", { attributes, startTime: [1000, 0] });
    failed.recordException(new TypeError("no"));
    failed.setStatus({ code: SpanStatusCode.ERROR });
    failed.end([1002, 500_000]);
    await provider.forceFlush();
    const [first, second] = await rowsOf(metrics);
    expect(first).toMatchObject({ user_id: "alice", success: true, metadata: { tool: "search" } });
    expect(second).toMatchObject({ user_id: "unknown", success: false, response_time_ms: 2000.5 });
    expect(second?.metadata).toEqual({ operation: "execute_tool", tool: "search", error_type: "TypeError" });
    await provider.shutdown();
    expect(processor.counts).toEqual({ recorded: 2, waiting: 0, dropped: 0 });
  });
});
