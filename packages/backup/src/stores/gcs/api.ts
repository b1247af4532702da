import type { Storage } from "@google-cloud/storage";
import type { StoreLimits } from "../object_store.ts";
import { failureOfAnswer, isTaken } from "./answers.ts";
import { credentialHeaders } from "./credentials.ts";
import { newConnections, send } from "./http_request.ts";
import type { Answer, Connections } from "./http_request.ts";
import type { CheckedPlace } from "./place.ts";
import { inTries } from "./tries.ts";

/** An answer that is no object's bytes is smaller than that. */
const MOST_OF_ANSWER = 16 << 20;

export interface ApiRequest {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** The name of the object, where it is about one that should be there. */
  object?: string;
  /** Where it is no address of the store's own: that of an upload's session. */
  url?: URL;
  isUpload?: boolean;
  /** It is about the bucket itself. */
  isBucket?: boolean;
  parameters?: Record<string, string | undefined>;
  headers?: Record<string, string>;
  body?: readonly Buffer[];
  most?: number;
  /** Where an object's bytes go. */
  into?: Buffer;
  /** Answers that are none of failure. */
  expected: readonly number[];
  /** That an object is there already is none, either. */
  taken?: boolean;
}

/**
 * The requests of Google's JSON API, one by one, with the credentials of Google's client. Its own methods are not used:
 * their uploads and downloads know no limit of time and no signal for a single try, try again by rules of their own, and do
 * not check what they read in parts.
 */
export class GcsApi {
  readonly limits: StoreLimits;
  readonly place: CheckedPlace;
  readonly #storage: Storage;
  readonly #hasCredentials: boolean;
  readonly #endpoint: URL;
  readonly #connections: Connections;

  constructor(storage: Storage, hasCredentials: boolean, place: CheckedPlace, limits: StoreLimits) {
    this.limits = limits;
    this.place = place;
    this.#storage = storage;
    this.#hasCredentials = hasCredentials;
    this.#endpoint = new URL(storage.apiEndpoint);
    this.#connections = newConnections(this.#endpoint);
  }

  /** A request with all its tries. */
  ask(request: ApiRequest, signal: AbortSignal | undefined): Promise<Answer> {
    return inTries(this.limits, signal, () => this.once(request, signal));
  }

  /** One try of a request. */
  async once(request: ApiRequest, signal?: AbortSignal, timeoutMs: number = this.limits.timeoutMs): Promise<Answer> {
    const { method, body = [], most = MOST_OF_ANSWER, expected, object, into } = request;
    const url = request.url ?? this.#address(request);
    const started = performance.now();
    const credentials = this.#mayKnow(url) ? await credentialHeaders(this.#storage, timeoutMs, signal) : {};
    const headers = { "user-agent": "perdura-backup", ...credentials, ...request.headers };
    const left = Math.max(Math.ceil(timeoutMs - (performance.now() - started)), 1);
    // What is refused is told in words, whose number no object's size limits.
    const answer = await send(
      { method, url, headers, body, most: Math.max(most, 64 * 1024), ...(into && { into }) },
      this.#connections,
      left,
      signal,
    );
    if (expected.includes(answer.status) || (request.taken === true && isTaken(answer))) return answer;
    throw failureOfAnswer(answer, object !== undefined);
  }

  close(): void {
    this.#connections.destroy();
  }

  /** Credentials are shown to the store alone, wherever it says that an upload goes on. */
  #mayKnow(url: URL): boolean {
    return this.#hasCredentials && url.origin === this.#endpoint.origin;
  }

  #address({ object, isUpload = false, isBucket = false, method, parameters = {} }: ApiRequest): URL {
    const { bucket, userProject } = this.place;
    const base = this.#endpoint.href.replace(/\/$/, "") + (isUpload ? "/upload" : "");
    const objects = `/o${object === undefined ? "" : `/${encodeURIComponent(object)}`}`;
    const path = `/storage/v1/b/${encodeURIComponent(bucket)}${isBucket ? "" : objects}`;
    const url = new URL(base + path);
    for (const [name, value] of Object.entries({ ...parameters, userProject }))
      if (value !== undefined) url.searchParams.set(name, value);
    // Only what is shown in answers.
    if (method !== "DELETE") url.searchParams.set("prettyPrint", "false");
    return url;
  }
}
