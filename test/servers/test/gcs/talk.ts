import { afterAll, beforeAll, beforeEach } from "vitest";
import { Storage } from "@google-cloud/storage";
import type { Bucket } from "@google-cloud/storage";
import { startGcs } from "../../src/gcs/gcs_server.ts";
import type { GcsOptions, GcsServer } from "../../src/gcs/gcs_server.ts";

/** A server for the tests of a `describe`, with an empty bucket `kept`. */
export interface Talk {
  readonly server: GcsServer;
  /** The bucket, accessed by Google's own client. */
  readonly bucket: Bucket;
  /** Sends a plain request; the path is relative to the server. */
  ask(method: string, path: string, body?: string | Buffer, headers?: Record<string, string>): Promise<Answer>;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: Buffer;
  /** The parsed body, if it is JSON. */
  json: Record<string, unknown>;
}

export function talk(options: Partial<GcsOptions> = {}): Talk {
  let server: GcsServer | undefined;
  let bucket: Bucket | undefined;
  const there = (): GcsServer => {
    if (server === undefined) throw new Error("the server can only be used in tests and hooks");
    return server;
  };
  beforeAll(async () => {
    server = await startGcs({ buckets: [{ name: "kept" }], anonymous: true, ...options });
    const storage = new Storage({ apiEndpoint: server.endpoint, projectId: "any", retryOptions: { autoRetry: false } });
    bucket = storage.bucket("kept");
  });
  beforeEach(() => {
    for (const stored of there().store.sorted("kept")) there().store.remove(stored);
    there().faults.clear();
  });
  afterAll(async () => server?.stop());
  return {
    get server() {
      return there();
    },
    get bucket() {
      return bucket as Bucket;
    },
    ask: async (method, path, body, headers = {}) => {
      const response = await fetch(there().endpoint + path, {
        method,
        headers,
        redirect: "manual",
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : new Uint8Array(body) }),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
      const json = isJson ? (JSON.parse(bytes.toString()) as Record<string, unknown>) : {};
      return { status: response.status, headers: response.headers, body: bytes, json };
    },
  };
}
