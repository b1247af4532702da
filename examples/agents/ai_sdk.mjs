// Vercel AI SDK: its spans become interactions, and no tool is wrapped.
import { OpenTelemetry } from "@ai-sdk/otel";
import { TracerProvider } from "@opentelemetry/sdk-trace";
import { PerduraSpanProcessor } from "@perdura/otel";
import { generateText, isStepCount, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { MetricsCollector } from "perdura";
import { z } from "zod";
import { book, search } from "./tools.mjs";
import { whichToolFails } from "./which_tool_fails.mjs";

const metrics = new MetricsCollector("ai_sdk.db");
const provider = new TracerProvider({ spanProcessors: [new PerduraSpanProcessor(metrics, { user: () => "alice" })] });
const telemetry = { integrations: [new OpenTelemetry({ tracer: provider.getTracer("ai") })] };

const calls = ["search", "book", "search", "book"];
const model = new MockLanguageModelV4({
  doGenerate: async () => {
    const toolName = calls.shift();
    const call = { type: "tool-call", toolCallId: `call-${calls.length}`, toolName, input: '{ "city": "Oslo" }' };
    return {
      content: toolName === undefined ? [{ type: "text", text: "done" }] : [call],
      finishReason: { unified: toolName === undefined ? "stop" : "tool-calls" },
      usage: { inputTokens: { total: 10 }, outputTokens: { total: 5 } },
      warnings: [],
    };
  },
});

const inputSchema = z.object({ city: z.string() });
const tools = { search: tool({ inputSchema, execute: search }), book: tool({ inputSchema, execute: book }) };
await generateText({ model, prompt: "Book a hotel", tools, telemetry, stopWhen: isStepCount(10) });

await provider.shutdown();
whichToolFails(metrics);
metrics.close();
