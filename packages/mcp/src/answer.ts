import type { CallToolResult } from "@modelcontextprotocol/server";

/** Answers a call of a tool with a document, as text for the model and as data for programs. */
export function answer(document: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(document) }], structuredContent: document };
}

/** Answers a call of a tool with a failure that the model can correct. */
export function refusal(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** A text with at most `most` characters, or its beginning and a note. */
export function bounded(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).toWellFormed()}… (${text.length - most} more characters)`;
}
