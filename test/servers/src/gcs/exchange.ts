import type { IncomingMessage, ServerResponse } from "node:http";
import type { Fault } from "./faults.ts";
import { invalid, notImplemented, Refusal } from "./refusal.ts";

/** One request and its response. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  /** Fault that a test injects into it. */
  fault: Fault | undefined;
}

/** Headers that have no effect, or that are read where they matter. All others are refused. */
const HEADERS = new Set(
  (
    "host connection keep-alive cache-control user-agent accept accept-encoding accept-language sec-fetch-mode content-type " +
    "content-length transfer-encoding authorization x-goog-api-client x-goog-gcs-idempotency-token x-goog-user-project"
  ).split(" "),
);

/** Parameters of every request that have no effect here. */
const PARAMETERS = ["alt", "prettyPrint", "userProject"];

/**
 * Refuses parameters and headers that would otherwise be ignored.
 *
 * @param parameters Parameters that the caller reads, in addition to those of every request.
 * @param headers Headers that the caller reads.
 */
export function assertKnown({ request, url }: Exchange, parameters: string[], headers: string[] = []): void {
  for (const name of new Set(url.searchParams.keys())) {
    if (!PARAMETERS.includes(name) && !parameters.includes(name)) throw notImplemented(`the parameter ${name}`);
    if (url.searchParams.getAll(name).length > 1) throw invalid(`The parameter ${name} is there twice.`);
  }
  const strange = Object.keys(request.headers).find((name) => !HEADERS.has(name) && !headers.includes(name));
  if (strange !== undefined) throw notImplemented(`the header ${strange}`);
  const alt = url.searchParams.get("alt") ?? "json";
  if (alt !== "json" && alt !== "media") throw notImplemented(`alt=${alt}`);
}

export function parameter({ url }: Exchange, name: string): string | undefined {
  return url.searchParams.get(name) ?? undefined;
}

export function header({ request }: Exchange, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(",") : value;
}

/** The whole body. */
export async function bodyOf({ request }: Exchange, most: number = 64 << 20): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    pieces.push(piece);
    size += piece.length;
    if (size > most) throw new Refusal(413, "uploadTooLarge", `The test server takes ${most} bytes at once.`);
  }
  return Buffer.concat(pieces);
}

export function jsonOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text === "" ? "{}" : text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Refused below.
  }
  throw new Refusal(400, "parseError", "Parse Error");
}

export function answerJson({ response }: Exchange, value: unknown, status = 200): void {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    "content-type": "application/json; charset=UTF-8",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}
