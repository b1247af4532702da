import type { Tracer } from "@opentelemetry/api";
import { LegacyOpenTelemetry, OpenTelemetry } from "@ai-sdk/otel";
import { MetricsCollector } from "@perdura/v16";
import * as ai from "ai";
import { MockEmbeddingModelV4, MockLanguageModelV4 } from "ai/test";
import * as ai6 from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { PerduraSpanProcessor } from "../src/index.ts";
import { followContext, metadataOf, rowsOf, tracerOf } from "./tracing.ts";

const USAGE = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

/** Answers of a model that calls a tool that works, then one that fails, and then ends. */
function answers(): () => Promise<{
  content: (
    | { type: "tool-call"; toolCallId: string; toolName: string; input: string }
    | { type: "text"; text: string }
  )[];
  finishReason: { unified: "tool-calls" | "stop"; raw: undefined };
  usage: typeof USAGE;
  warnings: [];
}> {
  const tools = ["search", "fail"];
  return async () => {
    const toolName = tools.shift();
    const finishReason = { unified: toolName === undefined ? "stop" : "tool-calls", raw: undefined } as const;
    const call = {
      type: "tool-call",
      toolCallId: `call-${toolName}`,
      toolName: toolName ?? "",
      input: '{"q":"x"}',
    } as const;
    const content = toolName === undefined ? [{ type: "text", text: "done" } as const] : [call];
    return { content, finishReason, usage: USAGE, warnings: [] };
  };
}

type Answer = Awaited<ReturnType<ReturnType<typeof answers>>>;

/** A part of a stream. */
type Part =
  | Exclude<Answer["content"][number], { type: "text" }>
  | { type: "stream-start"; warnings: [] }
  | { type: "text-start" | "text-end"; id: string }
  | { type: "text-delta"; id: string; delta: string }
  | ({ type: "finish" } & Pick<Answer, "finishReason" | "usage">);

/** The same answers as streams. */
function streams(): () => Promise<{ stream: ReadableStream<Part> }> {
  const next = answers();
  const partsOf = (part: Answer["content"][number]): Part[] =>
    part.type === "tool-call"
      ? [part]
      : [
          { type: "text-start", id: "text" },
          { type: "text-delta", id: "text", delta: part.text },
          { type: "text-end", id: "text" },
        ];
  return async () => {
    const { content, finishReason, usage } = await next();
    const chunks: Part[] = [
      { type: "stream-start", warnings: [] },
      ...content.flatMap(partsOf),
      { type: "finish", finishReason, usage },
    ];
    return { stream: ai.simulateReadableStream({ chunks }) };
  };
}

const inputSchema = z.object({ q: z.string() });
const search = async ({ q }: { q: string }): Promise<string> => `found ${q}`;
const fail = async (): Promise<string> => {
  throw new TypeError("no");
};

/** Asks version 7. */
async function ask7(telemetry: ai.TelemetryOptions): Promise<string> {
  const { text } = await ai.generateText({
    model: new MockLanguageModelV4({ doGenerate: answers() }),
    prompt: "hello",
    stopWhen: ai.isStepCount(5),
    telemetry,
    tools: {
      search: ai.tool({ inputSchema, execute: search }),
      fail: ai.tool({ inputSchema, execute: fail }),
    },
  });
  return text;
}

/** The same by a stream. */
async function stream7(telemetry: ai.TelemetryOptions): Promise<string> {
  const answer = ai.streamText({
    model: new MockLanguageModelV4({ doStream: streams() }),
    prompt: "hello",
    stopWhen: ai.isStepCount(5),
    telemetry,
    tools: {
      search: ai.tool({ inputSchema, execute: search }),
      fail: ai.tool({ inputSchema, execute: fail }),
    },
  });
  await answer.consumeStream();
  return answer.text;
}

/** Asks version 6, which has OpenTelemetry built in. */
async function ask6(tracer: Tracer): Promise<string> {
  const { text } = await ai6.generateText({
    model: new MockLanguageModelV3({ doGenerate: answers() }),
    prompt: "hello",
    stopWhen: ai6.stepCountIs(5),
    experimental_telemetry: { isEnabled: true, tracer, functionId: "support", metadata: { userId: "alice" } },
    tools: {
      search: ai6.tool({ inputSchema, execute: search }),
      fail: ai6.tool({ inputSchema, execute: fail }),
    },
  });
  return text;
}

/** The same by a stream. */
async function stream6(tracer: Tracer): Promise<string> {
  const answer = ai6.streamText({
    model: new MockLanguageModelV3({ doStream: streams() }),
    prompt: "hello",
    stopWhen: ai6.stepCountIs(5),
    experimental_telemetry: { isEnabled: true, tracer, functionId: "support" },
    tools: {
      search: ai6.tool({ inputSchema, execute: search }),
      fail: ai6.tool({ inputSchema, execute: fail }),
    },
  });
  await answer.consumeStream();
  return answer.text;
}

const WAYS: [name: string, ask: (tracer: Tracer) => Promise<string>][] = [
  ["version 7", (tracer) => ask7({ functionId: "support", integrations: [new OpenTelemetry({ tracer })] })],
  [
    "version 7 with the former spans",
    (tracer) => ask7({ functionId: "support", integrations: [new LegacyOpenTelemetry({ tracer })] }),
  ],
  ["version 6", ask6],
  [
    "version 7, by a stream",
    (tracer) => stream7({ functionId: "support", integrations: [new OpenTelemetry({ tracer })] }),
  ],
  [
    "version 7 with the former spans, by a stream",
    (tracer) => stream7({ functionId: "support", integrations: [new LegacyOpenTelemetry({ tracer })] }),
  ],
  ["version 6, by a stream", stream6],
];

describe.for(WAYS)("the AI SDK in %s", ([, ask]) => {
  test("has an interaction for the whole, one for each call of the model, and one for each tool", async () => {
    followContext();
    using metrics = new MetricsCollector(":memory:");
    const processor = new PerduraSpanProcessor(metrics, { user: "ai.telemetry.metadata.userId" });
    expect(await ask(tracerOf(processor))).toBe("done");
    await processor.forceFlush();
    const rows = await rowsOf(metrics);
    const facts = rows.map(({ success, metadata: { operation, tool, input_tokens, output_tokens, error_type } }) =>
      [operation, tool, success, input_tokens, output_tokens, error_type].filter((one) => one !== undefined).join(" "),
    );
    // The former spans of a tool end before that of the step that called it.
    expect(facts.toSorted()).toEqual([
      "chat true 10 5",
      "chat true 10 5",
      "chat true 10 5",
      "execute_tool fail false TypeError",
      "execute_tool search true",
      "invoke_agent true 30 15",
    ]);
    expect(facts.at(-1)).toBe("invoke_agent true 30 15");
    const whole = rows.at(-1);
    expect(whole?.metadata).toMatchObject({ agent: "support", model: "mock-model-id" });
    for (const { response_time_ms } of rows) expect(response_time_ms).toBeLessThanOrEqual(whole?.response_time_ms ?? 0);
  });
});

test("version 6 gives the user in its metadata", async () => {
  using metrics = new MetricsCollector(":memory:");
  const processor = new PerduraSpanProcessor(metrics, { user: "ai.telemetry.metadata.userId" });
  await ask6(tracerOf(processor));
  await processor.forceFlush();
  expect(metrics.getAllUsers()).toEqual(["alice"]);
});

test("an embedding, which has two spans, is one interaction", async () => {
  followContext();
  using metrics = new MetricsCollector(":memory:");
  const processor = new PerduraSpanProcessor(metrics);
  const tracer = tracerOf(processor);
  const model = new MockEmbeddingModelV4({
    doEmbed: async () => ({ embeddings: [[1]], usage: { tokens: 3 }, warnings: [] }),
  });
  for (const integration of [new OpenTelemetry({ tracer }), new LegacyOpenTelemetry({ tracer })])
    await ai.embed({ model, value: "x", telemetry: { integrations: [integration] } });
  await processor.forceFlush();
  expect((await metadataOf(metrics)).map(({ operation }) => operation)).toEqual(["embeddings", "embeddings"]);
});
