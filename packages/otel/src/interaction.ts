import { type Attributes, type HrTime, SpanStatusCode } from "@opentelemetry/api";
import type { JsonObject } from "@perdura/internals/json/values.js";
import type { FinishedSpan } from "./span.ts";

/**
 * Keys of the metadata, each with the attributes that it is read from: the newest name of the GenAI conventions, the
 * former name, that of the Vercel AI SDK. The first one that a span has counts.
 */
const METADATA: readonly (readonly [key: string, type: "string" | "number", attributes: readonly string[]])[] = [
  ["tool", "string", ["gen_ai.tool.name", "ai.toolCall.name"]],
  // The requested model, which failed calls have too.
  ["model", "string", ["gen_ai.request.model", "ai.model.id", "gen_ai.response.model"]],
  ["provider", "string", ["gen_ai.provider.name", "gen_ai.system", "ai.model.provider"]],
  ["agent", "string", ["gen_ai.agent.name", "ai.telemetry.functionId"]],
  [
    "input_tokens",
    "number",
    [
      "gen_ai.usage.input_tokens",
      "gen_ai.usage.prompt_tokens",
      "ai.usage.inputTokens",
      "ai.usage.promptTokens",
      "ai.usage.tokens",
    ],
  ],
  [
    "output_tokens",
    "number",
    [
      "gen_ai.usage.output_tokens",
      "gen_ai.usage.completion_tokens",
      "ai.usage.outputTokens",
      "ai.usage.completionTokens",
    ],
  ],
];

/** The facts of a span that its interaction has as metadata. */
export function metadataOf(span: FinishedSpan, operation: string): JsonObject {
  const metadata: JsonObject = { operation };
  for (const [key, type, names] of METADATA) {
    const value = firstOf(span.attributes, names, type);
    if (value !== undefined) metadata[key] = value;
  }
  const error = isSuccessful(span) ? undefined : errorTypeOf(span);
  if (error !== undefined) metadata["error_type"] = error;
  return metadata;
}

/** False for the status "error". Without a status, the attribute `error.type` decides, which only failed operations have. */
export function isSuccessful({ status, attributes }: FinishedSpan): boolean {
  if (status.code === SpanStatusCode.UNSET) return attributes["error.type"] === undefined;
  return status.code === SpanStatusCode.OK;
}

/** @returns Milliseconds. */
export function durationOf([seconds, nanoseconds]: HrTime): number {
  return Math.max(0, seconds * 1e3 + nanoseconds / 1e6);
}

function errorTypeOf({ attributes, events }: FinishedSpan): string | undefined {
  const type = firstOf(attributes, ["error.type"], "string");
  if (type !== undefined) return type;
  const exception = events.findLast(({ name }) => name === "exception");
  return firstOf(exception?.attributes ?? {}, ["exception.type"], "string");
}

function firstOf<Type extends "string" | "number">(
  attributes: Attributes,
  names: readonly string[],
  type: Type,
): (Type extends "string" ? string : number) | undefined {
  for (const name of names) {
    const value = attributes[name];
    // The whole row would be refused because of a number that JSON cannot represent.
    if (typeof value === type && !(typeof value === "number" && !Number.isFinite(value)))
      return value as Type extends "string" ? string : number;
  }
  return undefined;
}
