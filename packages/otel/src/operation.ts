import type { Attributes } from "@opentelemetry/api";

/**
 * Operations of the GenAI conventions: the values of `gen_ai.operation.name` in version 1.45.0 of
 * `@opentelemetry/semantic-conventions`, where they are in development.
 */
export const OPERATIONS: readonly string[] = [
  "chat",
  "create_agent",
  "embeddings",
  "execute_tool",
  "generate_content",
  "invoke_agent",
  "invoke_workflow",
  "retrieval",
  "text_completion",
];

/** Operations that contain others of the same name: an agent may invoke an agent. */
const NESTABLE = new Set(["create_agent", "invoke_agent", "invoke_workflow"]);

/** `ai.operationId` of the Vercel AI SDK, with the names that version 7 gives these operations. */
const OF_AI_SDK = new Map([
  ["ai.embed", "embeddings"],
  ["ai.embed.doEmbed", "embeddings"],
  ["ai.embedMany", "embeddings"],
  ["ai.embedMany.doEmbed", "embeddings"],
  ["ai.generateObject", "invoke_agent"],
  ["ai.generateObject.doGenerate", "chat"],
  ["ai.generateText", "invoke_agent"],
  ["ai.generateText.doGenerate", "chat"],
  ["ai.streamObject", "invoke_agent"],
  ["ai.streamObject.doStream", "chat"],
  ["ai.streamText", "invoke_agent"],
  ["ai.streamText.doStream", "chat"],
  ["ai.toolCall", "execute_tool"],
]);

/** The operation that a span describes, or undefined for a span of another kind. */
export function operationOf(attributes: Attributes): string | undefined {
  const name = attributes["gen_ai.operation.name"];
  if (typeof name === "string") return name;
  const id = attributes["ai.operationId"];
  if (typeof id === "string") return OF_AI_SDK.get(id);
  // The first versions of the conventions described calls of models only, and did not name the operation.
  return attributes["gen_ai.system"] !== undefined && attributes["gen_ai.request.model"] !== undefined
    ? "chat"
    : undefined;
}

/**
 * True if a span directly inside `parent` describes the same call once more: the AI SDK makes one span for `embed` and one
 * for the request, and a client's instrumentation makes one for the call that a framework has a span for already.
 */
export function repeats(operation: string, parent: Attributes): boolean {
  return !NESTABLE.has(operation) && operationOf(parent) === operation;
}
