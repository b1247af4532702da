import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { StoreLimits } from "../object_store.ts";
import { networkFailure, RemoteFailure } from "../remote/failures.ts";
import { truncated } from "../remote/parts.ts";
import { Requests, type Sending } from "../remote/requests.ts";
import type { CheckedPlace } from "./address.ts";
import { type Access, credentialHeaders } from "./credentials.ts";
import { type Answer, gcsFailure } from "./failures.ts";

/** A request of the JSON API. */
export interface ApiRequest {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** The name of the object. */
  object?: string;
  /** The address of an upload session, which the store chose. */
  url?: URL;
  isUpload?: boolean;
  /** True for a request about the bucket itself. */
  isBucket?: boolean;
  parameters?: Record<string, string | undefined>;
  headers?: Record<string, string>;
  body?: readonly Buffer[];
  /** True if the body has bytes of an object, with their checksum. */
  carriesBytes?: boolean;
  /** The buffer for the bytes of an object. */
  into?: Buffer;
  /** Statuses that are not failures. */
  expected: readonly number[];
}

/** Maximum size of an answer other than the bytes of an object. */
const MAX_ANSWER_BYTES = 16 << 20;

/**
 * Requests of Google's JSON API. Google's own client is not used: its uploads and downloads support neither a timeout
 * nor a signal for a single try, have their own retry rules, and do not check objects that are read in parts.
 */
export class GcsApi {
  readonly place: CheckedPlace;
  readonly requests: Requests;
  readonly #access: Access;
  readonly #connections: HttpAgent | HttpsAgent;
  /** True once the bucket is known to exist. */
  #knowsBucket = false;

  constructor(access: Access, place: CheckedPlace, limits: StoreLimits) {
    this.place = place;
    this.requests = new Requests(
      limits,
      (error) => networkFailure(error) ?? new RemoteFailure("failed", error.message),
    );
    this.#access = access;
    this.#connections = newConnections(access.endpoint);
  }

  /** Sends a request, with retries. */
  async ask(request: ApiRequest, signal: AbortSignal | undefined, sending?: Sending): Promise<Answer> {
    try {
      return await this.requests.send((abortSignal) => this.once(request, abortSignal), signal, sending);
    } catch (error) {
      if (error instanceof RemoteFailure && error.kind === "missingObject") await this.#assertBucket(signal);
      throw error;
    }
  }

  /** Sends a request once and reads the whole answer. */
  async once(request: ApiRequest, signal: AbortSignal): Promise<Answer> {
    const { method, body = [], expected, into, carriesBytes = false } = request;
    const url = request.url ?? this.#address(request);
    const { credentials, endpoint } = this.#access;
    // Credentials are sent to the store only, even if it names another host for an upload session.
    const mayKnow = credentials !== undefined && url.origin === endpoint.origin;
    const headers = {
      "user-agent": "perdura-backup",
      ...(mayKnow ? await credentialHeaders(credentials) : {}),
      ...request.headers,
    };
    const answer = await send({ method, url, headers, body, ...(into && { into }) }, this.#connections, signal);
    if (expected.includes(answer.status)) {
      this.#knowsBucket ||= answer.status < 300 && request.url === undefined;
      return answer;
    }
    const failure = gcsFailure(answer, carriesBytes);
    if (failure.kind !== "missingObject" || request.object !== undefined) throw failure;
    throw new RemoteFailure("missingBucket", failure.message, failure);
  }

  close(): void {
    this.#connections.destroy();
  }

  /** A missing bucket and a missing object have the same status and reason, so this lists the bucket's objects. */
  async #assertBucket(signal: AbortSignal | undefined): Promise<void> {
    if (this.#knowsBucket) return;
    const list: ApiRequest = { method: "GET", parameters: { maxResults: "1", fields: "items(name)" }, expected: [200] };
    try {
      await this.requests.send((abortSignal) => this.once(list, abortSignal), signal);
    } catch (error) {
      // Credentials for objects may not be permitted to list them.
      if (!(error instanceof RemoteFailure) || error.kind === "missingBucket") throw error;
    }
    this.#knowsBucket = true;
  }

  #address({ object, isUpload = false, isBucket = false, method, parameters = {} }: ApiRequest): URL {
    const { bucket, userProject } = this.place;
    const base = this.#access.endpoint.href.replace(/\/$/, "") + (isUpload ? "/upload" : "");
    const objects = `/o${object === undefined ? "" : `/${encodeURIComponent(object)}`}`;
    const path = `/storage/v1/b/${encodeURIComponent(bucket)}${isBucket ? "" : objects}`;
    const url = new URL(base + path);
    for (const [name, value] of Object.entries({ ...parameters, userProject }))
      if (value !== undefined) url.searchParams.set(name, value);
    // Only for requests whose answers are read.
    if (method !== "DELETE") url.searchParams.set("prettyPrint", "false");
    return url;
  }
}

/** The object in the body of an answer. */
export function jsonOf(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString());
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Thrown below.
  }
  throw new RemoteFailure("invalidAnswer", `not JSON: ${body.toString().slice(0, 100)}`);
}

/** Connections that are reused. Idle ones do not keep the process alive. */
function newConnections(endpoint: URL): HttpAgent | HttpsAgent {
  // Newer versions of Node.js use the proxies of the environment, as google-auth-library does.
  const options = { keepAlive: true, proxyEnv: process.env };
  try {
    return endpoint.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options);
  } catch {
    // The error of Node.js repeats the address of the proxy, which may contain a password.
    throw new RemoteFailure("unusableProxy", "");
  }
}

interface HttpRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  /** Sent one after the other, without copying. */
  body: readonly Buffer[];
  into?: Buffer;
}

/** @throws RemoteFailure, or the signal's reason. */
function send(
  { method, url, headers, body, into }: HttpRequest,
  connections: HttpAgent | HttpsAgent,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((settle, fail) => {
    if (signal.aborted) return fail(signal.reason);
    const length = body.reduce((sum, piece) => sum + piece.length, 0);
    const request = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, {
      method,
      agent: connections,
      headers: { ...headers, ...(method === "GET" ? {} : { "content-length": length }) },
    });
    const give = (error: unknown): void => {
      signal.removeEventListener("abort", aborted);
      fail(error);
      request.destroy();
    };
    const aborted = (): void => give(signal.reason);
    signal.addEventListener("abort", aborted);
    // Once the answer has begun, an error of the connection means that it was cut off.
    let cut: (() => RemoteFailure) | undefined;
    request.on("error", (error) => give(cut?.() ?? error));
    request.on("response", (response) => {
      const pieces: Buffer[] = [];
      const place = [200, 206].includes(response.statusCode ?? 0) ? into : undefined;
      const limit = place?.length ?? MAX_ANSWER_BYTES;
      let size = 0;
      const cutHere = (): RemoteFailure =>
        place === undefined ? new RemoteFailure("truncated", "") : truncated(size, place.length);
      cut = cutHere;
      response.on("error", () => give(cutHere()));
      response.on("data", (piece: Buffer) => {
        // Late bytes must not overwrite those of the next try.
        if (request.destroyed) return;
        if (place === undefined) pieces.push(piece);
        else piece.copy(place, size);
        size += piece.length;
        if (size > limit) give(new RemoteFailure("invalidAnswer", `more than ${limit} bytes arrived`));
      });
      response.on("end", () => {
        signal.removeEventListener("abort", aborted);
        // Answered before the whole body was sent: the remaining bytes are not sent.
        if (!request.writableFinished) request.destroy();
        const bytes = place?.subarray(0, size) ?? Buffer.concat(pieces);
        settle({ status: response.statusCode ?? 0, headers: response.headers, body: bytes });
      });
    });
    for (const piece of body) request.write(piece);
    request.end();
  });
}
