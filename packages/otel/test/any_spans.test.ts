import { type Attributes, type Span, SpanStatusCode, trace, ROOT_CONTEXT } from "@opentelemetry/api";
import { MetricsCollector } from "@perdura/v16";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ANY_CHARACTER } from "../../../test/any_character.ts";
import { PerduraSpanProcessor } from "../src/index.ts";
import { rowsOf, tracerOf } from "./tracing.ts";

const text = fc.oneof(fc.string({ unit: ANY_CHARACTER, maxLength: 5 }), fc.constantFrom("", "\0", "\ud800", "alice"));
const value = fc.oneof(
  text,
  fc.double(),
  fc.constantFrom(NaN, Infinity),
  fc.boolean(),
  fc.array(text, { maxLength: 2 }),
);
const names = fc.constantFrom(
  "gen_ai.system",
  "gen_ai.request.model",
  "gen_ai.tool.name",
  "gen_ai.usage.input_tokens",
  "gen_ai.usage.completion_tokens",
  "ai.toolCall.name",
  "ai.model.id",
  "error.type",
);

/** A span: its kind, other attributes of any value, its user and level, its status, and the span around it. */
const spans = fc.array(
  fc.record({
    operation: fc.constantFrom("chat", "execute_tool", "invoke_agent", "agent_step", undefined),
    operationId: fc.constantFrom("ai.toolCall", "ai.generateText", "ai.other", undefined),
    others: fc.dictionary(names, value, { maxKeys: 4 }),
    user: fc.oneof(fc.constant(undefined), fc.constantFrom<Attributes[string][]>("alice", "bob"), value),
    level: fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 5 }), value),
    status: fc.constantFrom(SpanStatusCode.UNSET, SpanStatusCode.OK, SpanStatusCode.ERROR),
    around: fc.nat(5),
  }),
  { maxLength: 12 },
);

test("any spans: nothing throws, no write fails, and every span of an operation is counted exactly once", async () => {
  await fc.assert(
    fc.asyncProperty(spans, fc.boolean(), fc.integer({ min: 1, max: 8 }), async (wanted, isNested, maxQueueSize) => {
      using metrics = new MetricsCollector(":memory:");
      const processor = new PerduraSpanProcessor(metrics, { level: "level", maxQueueSize });
      const tracer = tracerOf(processor);
      const open: Span[] = [];
      for (const { operation, operationId, others, user, level, around } of wanted) {
        const attributes = {
          ...others,
          "gen_ai.operation.name": operation,
          "ai.operationId": operationId,
          "user.id": user,
          level,
        };
        const given = Object.fromEntries(Object.entries(attributes).filter(([, one]) => one !== undefined));
        const parent = isNested ? open.at(-1 - around) : undefined;
        const within = parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent);
        open.push(tracer.startSpan("span", { attributes: given as Attributes }, within));
      }
      wanted.forEach(({ status }, index) => open[index]?.setStatus({ code: status }));
      for (const each of open.toReversed()) each.end();
      const before = processor.counts;
      expect(before.waiting).toBeLessThanOrEqual(maxQueueSize);
      await processor.shutdown();
      // What was taken into the queue is stored: a value that a database refuses would refuse all rows of a write.
      expect(processor.counts).toEqual({ recorded: before.waiting, waiting: 0, dropped: before.dropped });
      expect((await rowsOf(metrics)).length).toBe(before.waiting);
      const operations = wanted.filter(({ operation, operationId, others }) =>
        operation === undefined
          ? operationId === undefined
            ? "gen_ai.system" in others && "gen_ai.request.model" in others
            : operationId !== "ai.other"
          : operation !== "agent_step",
      );
      expect(before.waiting + before.dropped).toBeLessThanOrEqual(operations.length);
      if (!isNested) expect(before.waiting + before.dropped).toBe(operations.length);
    }),
    { numRuns: 200 },
  );
});
