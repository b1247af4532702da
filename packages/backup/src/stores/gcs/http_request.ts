import { Agent as HttpAgent, request as httpRequest } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { GcsFailure } from "./failures.ts";
import { networkFailure } from "./network_failures.ts";

export interface HttpRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  /** One after the other; none are copied. */
  body: readonly Buffer[];
  /** The most bytes that an answer may have. */
  most: number;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Connections that are kept for the next request. Idle ones do not keep the process from ending. */
export type Connections = HttpAgent | HttpsAgent;

export function newConnections(endpoint: URL): Connections {
  // Newer versions of Node.js know the proxies of the environment, as Google's client does for its tokens.
  const options = { keepAlive: true, proxyEnv: process.env };
  return endpoint.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options);
}

/**
 * Sends one request, once, and reads the whole answer.
 *
 * @throws GcsFailure where no whole answer came in time.
 * @throws The signal's reason.
 */
export function send(
  { method, url, headers, body, most }: HttpRequest,
  connections: Connections,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  return new Promise((settle, fail) => {
    if (signal?.aborted === true) return fail(signal.reason);
    const length = body.reduce((sum, piece) => sum + piece.length, 0);
    const request = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, {
      method,
      agent: connections,
      headers: { ...headers, ...(method === "GET" ? {} : { "content-length": length }) },
    });
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
    };
    const give = (error: unknown): void => {
      end();
      fail(error);
      request.destroy();
    };
    const broke = (error: unknown): void => give(networkFailure(error) ?? new GcsFailure("other", String(error)));
    const aborted = (): void => give(signal?.reason);
    const timer = setTimeout(() => give(new GcsFailure("slow", `no answer within ${timeoutMs} ms`)), timeoutMs);
    signal?.addEventListener("abort", aborted);
    request.on("error", broke);
    request.on("response", (response) => {
      const pieces: Buffer[] = [];
      let size = 0;
      response.on("error", broke);
      response.on("data", (piece: Buffer) => {
        size += piece.length;
        pieces.push(piece);
        if (size > most) give(new GcsFailure("other", `more than ${most} bytes came`));
      });
      response.on("end", () => {
        end();
        // Answered before all was sent: what is left goes nowhere.
        if (!request.writableFinished) request.destroy();
        settle({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) });
      });
    });
    for (const piece of body) request.write(piece);
    request.end();
  });
}
