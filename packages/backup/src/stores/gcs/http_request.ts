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
  /** Where the bytes of an object go; more of them are a failure. */
  into?: Buffer;
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
  try {
    return endpoint.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options);
  } catch {
    // What Node.js says repeats the address of the proxy, in which there may be a password.
    throw new GcsFailure(
      "other",
      "the proxy that HTTPS_PROXY or HTTP_PROXY names cannot be used: expected http://host:port",
    );
  }
}

/**
 * Sends one request, once, and reads the whole answer.
 *
 * @throws GcsFailure where no whole answer came in time.
 * @throws The signal's reason.
 */
export function send(
  { method, url, headers, body, most, into }: HttpRequest,
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
      const place = [200, 206].includes(response.statusCode ?? 0) ? into : undefined;
      const limit = place?.length ?? most;
      let size = 0;
      response.on("error", broke);
      response.on("data", (piece: Buffer) => {
        // What comes too late must not lie over what the next try has read.
        if (request.destroyed) return;
        if (place === undefined) pieces.push(piece);
        else piece.copy(place, size);
        size += piece.length;
        if (size > limit) give(new GcsFailure("other", `more than ${limit} bytes came`));
      });
      response.on("end", () => {
        end();
        // Answered before all was sent: what is left goes nowhere.
        if (!request.writableFinished) request.destroy();
        const bytes = place?.subarray(0, size) ?? Buffer.concat(pieces);
        settle({ status: response.statusCode ?? 0, headers: response.headers, body: bytes });
      });
    });
    for (const piece of body) request.write(piece);
    request.end();
  });
}
