// OpenAI Agents SDK: a processor of its own traces records every tool.
import { Agent, Runner, setTraceProcessors, tool, Usage } from "@openai/agents";
import { MetricsCollector } from "perdura";
import { z } from "zod";
import { book, search } from "./tools.mjs";
import { whichToolFails } from "./which_tool_fails.mjs";

const metrics = new MetricsCollector("openai_agents.db");
const nothing = async () => undefined;
setTraceProcessors([
  {
    onTraceStart: nothing,
    onTraceEnd: nothing,
    onSpanStart: nothing,
    onSpanEnd: async ({ spanData, error, startedAt, endedAt }) => {
      if (spanData.type !== "function") return;
      metrics.recordMetric("alice", !error, Date.parse(endedAt) - Date.parse(startedAt), { tool: spanData.name });
    },
    forceFlush: nothing,
    shutdown: nothing,
  },
]);

const calls = ["search", "book", "search", "book"];
const model = {
  getResponse: async () => {
    const name = calls.shift();
    const call = { type: "function_call", callId: `call-${calls.length}`, name, arguments: '{ "city": "Oslo" }' };
    const text = {
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "done" }],
    };
    return { output: [name === undefined ? text : call], usage: new Usage() };
  },
};

const parameters = z.object({ city: z.string() });
const tools = [
  tool({ name: "search", description: "Finds hotels", parameters, execute: search }),
  tool({ name: "book", description: "Books a hotel", parameters, execute: book }),
];
await new Runner({ model }).run(new Agent({ name: "travel", tools }), "Book a hotel");

whichToolFails(metrics);
metrics.close();
