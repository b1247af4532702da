import { type Context, trace } from "@opentelemetry/api";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import { assertLevel } from "@perdura/internals/metrics/arguments.js";
import { describe } from "@perdura/internals/text/describe.js";
import { assertIdentifier } from "@perdura/internals/text/identifiers.js";
import { assertOptions } from "@perdura/internals/text/options.js";
import type { SpanCollector } from "./collector.ts";
import { durationOf, isSuccessful, metadataOf } from "./interaction.ts";
import { InteractionQueue, type SpanCounts } from "./interaction_queue.ts";
import { operationOf, OPERATIONS, repeats } from "./operation.ts";
import type { FinishedSpan } from "./span.ts";

/** A value of a span: the name of an attribute, or a function. */
export type FromSpan<Value> = string | ((span: FinishedSpan) => Value | undefined);

/** Settings of {@link PerduraSpanProcessor}. */
export interface SpanProcessorOptions {
  /**
   * The user of an interaction: the name of an attribute, or a function; `user.id` by default. If a span has no such
   * value, the spans around it are asked, the nearest first; without any, the user is `unknown`.
   */
  user?: FromSpan<string> | undefined;
  /**
   * The level of an interaction, an integer from 1 to 5: the name of an attribute, or a function, asked like `user`.
   * Without a value the level is left out, which means the user's current level; a collector before version 16 gets 1.
   */
  level?: FromSpan<number> | undefined;
  /** Operations that are recorded, by `gen_ai.operation.name`; all of the conventions by default. */
  operations?: readonly string[] | undefined;
  /** Maximum number of interactions that wait for a write, from 1; 2048 by default. Further ones are dropped and counted. */
  maxQueueSize?: number | undefined;
  /** Longest wait of an interaction before it is written, in milliseconds, 0 or more; 1000 by default. */
  scheduledDelayMillis?: number | undefined;
}

/** The user of spans that do not name one. */
const UNKNOWN_USER = "unknown";

const NAMES = ["user", "level", "operations", "maxQueueSize", "scheduledDelayMillis"];

/**
 * Records finished spans of OpenTelemetry's GenAI conventions, and those of the Vercel AI SDK, as interactions. Other
 * spans are ignored. After construction no method throws: interactions that cannot be recorded are dropped, counted in
 * {@link counts}, and reported to the diagnostics of OpenTelemetry.
 *
 * @example
 * ```ts
 * import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
 *
 * const metrics = new MetricsCollector("metrics.db");
 * const processor = new PerduraSpanProcessor(metrics, { user: "user.id" });
 * const provider = new BasicTracerProvider({ spanProcessors: [processor] });
 * const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", "user.id": "alice" };
 * provider.getTracer("agent").startSpan("execute_tool search", { attributes }).end();
 * await provider.shutdown();
 * console.log(metrics.getUserStats("alice").total_operations); // 1
 * metrics.close();
 * ```
 */
export class PerduraSpanProcessor {
  readonly #queue: InteractionQueue;
  readonly #levelField: "level" | "empathy_level";
  readonly #user: (span: FinishedSpan) => unknown;
  readonly #level: ((span: FinishedSpan) => unknown) | undefined;
  readonly #operations: ReadonlySet<string>;
  readonly #parents: WeakMap<FinishedSpan, FinishedSpan> = new WeakMap();

  /**
   * @param collector An open collector of either line, or of `@perdura/postgres`. It stays the caller's, who closes it
   * after {@link shutdown}.
   * @throws ValidationError that names the argument or the option.
   */
  constructor(collector: SpanCollector, options: SpanProcessorOptions = {}) {
    if (typeof collector?.recordMany !== "function")
      throw new ValidationError(`expected a collector, got ${describe(collector)}.`, { argument: "collector" });
    assertOptions("options", options, NAMES);
    const {
      user = "user.id",
      level,
      operations = OPERATIONS,
      maxQueueSize = 2048,
      scheduledDelayMillis = 1000,
    } = options;
    this.#levelField = collector.levelColumn ?? "level";
    this.#user = reader("user", user);
    this.#level = level === undefined ? undefined : reader("level", level);
    if (!Array.isArray(operations) || !operations.every((name) => typeof name === "string"))
      throw new ValidationError(`expected an array of texts, got ${describe(operations)}.`, { argument: "operations" });
    this.#operations = new Set(operations);
    assertNumber("maxQueueSize", maxQueueSize, 1);
    assertNumber("scheduledDelayMillis", scheduledDelayMillis, 0);
    this.#queue = new InteractionQueue(collector, { size: maxQueueSize, delayMs: scheduledDelayMillis });
  }

  /** Number of interactions that were recorded, wait to be recorded, or were dropped. */
  get counts(): SpanCounts {
    return this.#queue.counts;
  }

  /** Notes the span around a span. Called by OpenTelemetry. */
  onStart(span: FinishedSpan, parentContext: Context): void {
    const parent = trace.getSpan(parentContext);
    // The span of another process has no attributes here.
    if (parent !== undefined && "attributes" in parent) this.#parents.set(span, parent as unknown as FinishedSpan);
  }

  /** Adds the interaction of a span to the queue. Called by OpenTelemetry. */
  onEnd(span: FinishedSpan): void {
    const operation = operationOf(span.attributes);
    if (operation === undefined || !this.#operations.has(operation)) return;
    const parent = this.#parents.get(span);
    if (parent !== undefined && repeats(operation, parent.attributes)) return;
    try {
      const user = this.#asked(span, this.#user) ?? UNKNOWN_USER;
      assertIdentifier("user", user);
      this.#queue.add({
        user_id: user,
        success: isSuccessful(span),
        response_time_ms: durationOf(span.duration),
        metadata: metadataOf(span, operation),
        ...this.#levelOf(span),
      });
    } catch (error) {
      this.#queue.drop(1, "a value is invalid, or a function of the options failed", error);
    }
  }

  /**
   * Tries to record everything that waits. With a collector in SQLite, the rows are stored when this method returns, even
   * before its promise resolves. The promise never rejects.
   */
  forceFlush(): Promise<void> {
    return this.#queue.flush();
  }

  /** Records everything that waits, and drops what cannot be recorded. Later spans are dropped. The promise never rejects. */
  shutdown(): Promise<void> {
    return this.#queue.close();
  }

  #levelOf(span: FinishedSpan): { level?: number; empathy_level?: number } {
    const isBefore16 = this.#levelField === "empathy_level";
    const level = this.#level && this.#asked(span, this.#level);
    if (level === undefined) return isBefore16 ? { empathy_level: 1 } : {};
    assertLevel("level", level);
    return isBefore16 ? { empathy_level: level } : { level };
  }

  /** The answer for the span, or for the nearest span around it that has one. */
  #asked(span: FinishedSpan, ask: (span: FinishedSpan) => unknown): unknown {
    for (let asked: FinishedSpan | undefined = span; asked !== undefined; asked = this.#parents.get(asked)) {
      const answer = ask(asked);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }
}

function reader(argument: string, from: FromSpan<unknown>): (span: FinishedSpan) => unknown {
  if (typeof from === "function") return from;
  if (typeof from === "string" && from !== "") return ({ attributes }) => attributes[from];
  throw new ValidationError(`expected the name of an attribute or a function, got ${describe(from)}.`, { argument });
}

function assertNumber(argument: string, value: unknown, least: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= least) return;
  throw new ValidationError(`expected a whole number of at least ${least}, got ${describe(value)}.`, { argument });
}
