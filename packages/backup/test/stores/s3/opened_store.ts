import { createHash, randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, onTestFinished, vi } from "vitest";
import { startS3 } from "@perdura/test-servers/s3/server.js";
import type { S3Options, S3Server } from "@perdura/test-servers/s3/server.js";
import type { ObjectStore, StoreLimits, Upload } from "../../../src/stores/object_store.ts";
import { emptyPrefix } from "./empty_prefix.ts";
import { openS3Store } from "../../../src/stores/s3/s3_store.ts";

/** Address of another store, for the tests that need no faults of our own server. */
export const ELSEWHERE: string | undefined = process.env["TEST_S3_URL"] || undefined;
export const MIB: number = 2 ** 20;
export const LIMITS: StoreLimits = { tries: 3, timeoutMs: 20_000, partSize: 5 * MIB };

/** Configures Amazon's SDK for a server, without the settings of this machine. */
function environmentOf({ credentials, region }: S3Server): void {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  emptyEnvironment();
  vi.stubEnv("AWS_ACCESS_KEY_ID", accessKeyId);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", secretAccessKey);
  vi.stubEnv("AWS_SESSION_TOKEN", sessionToken);
  vi.stubEnv("AWS_REGION", region);
}

export function emptyEnvironment(): void {
  for (const name of Object.keys(process.env)) if (name.startsWith("AWS_")) vi.stubEnv(name, undefined);
  vi.stubEnv("AWS_CONFIG_FILE", "/dev/null");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null");
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** Our own server with a store on it, for one test. */
export async function opened(
  options: S3Options = {},
  limits: Partial<StoreLimits> = {},
): Promise<{ server: S3Server; store: ObjectStore }> {
  const server = await startS3(options);
  onTestFinished(() => server.stop());
  return { server, store: await storeOn(server, limits) };
}

export async function storeOn(
  server: S3Server,
  limits: Partial<StoreLimits> = {},
  address = "s3://backups/p",
): Promise<ObjectStore> {
  environmentOf(server);
  const store = await openS3Store(`${address}?endpoint=${server.endpoint}`, { ...LIMITS, ...limits });
  onTestFinished(() => store.close());
  return store;
}

/** A unique address below another. */
export function ownPrefix(address: string): string {
  const [path, query] = address.split("?");
  return `${path?.replace(/\/$/, "")}/perdura-test-${randomUUID()}${query === undefined ? "" : `?${query}`}`;
}

/** For all tests of a `describe`: a store on our own server, or elsewhere below a prefix that is emptied afterwards. */
export function storeForAll(): {
  readonly store: ObjectStore;
  /** Adds objects of which only the keys matter; directly into the state of our own server, which is fast. */
  addKeys(keys: readonly string[]): Promise<void>;
} {
  let server: S3Server | undefined;
  let store: ObjectStore | undefined;
  let elsewhere: string | undefined;
  beforeAll(async () => {
    if (ELSEWHERE === undefined) {
      server = await startS3();
      const { S3Client } = await import("@aws-sdk/client-s3");
      const { endpoint, region, credentials } = server;
      const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1 });
      store = await openS3Store({ client, bucket: "backups", prefix: "p" }, LIMITS);
      return;
    }
    elsewhere = ownPrefix(ELSEWHERE);
    store = await openS3Store(elsewhere, LIMITS);
  });
  afterAll(async () => {
    if (store === undefined) return;
    await store.close();
    if (elsewhere !== undefined) await emptyPrefix(elsewhere, LIMITS);
    await server?.stop();
  });
  return {
    get store() {
      if (store === undefined) throw new Error("the store is there in tests only");
      return store;
    },
    addKeys: async (keys) => {
      const objects = server?.state.buckets.get("backups")?.objects;
      for (const [index, key] of keys.entries()) {
        const one = index === 0 ? undefined : objects?.get(`p/${keys[0]}`);
        if (one === undefined) await store?.add(uploadOf(key, Buffer.from(key)));
        else objects?.set(`p/${key}`, one);
      }
    },
  };
}

/** An upload of these bytes, with a random id like that of the core. */
export function uploadOf(key: string, data: Buffer, more: Partial<Upload> = {}): Upload {
  return {
    key,
    size: data.length,
    contentType: "application/octet-stream",
    metadata: { upload: randomUUID() },
    read: async (start, length) => Buffer.from(data.subarray(start, start + length)),
    ...more,
  };
}

export function bytes(length: number): Buffer {
  return randomBytes(length);
}

export function hashOf(data: Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

/** All bytes of an object, or undefined if it does not exist. */
export async function contentOf(store: ObjectStore, key: string): Promise<Buffer | undefined> {
  const found = await store.find(key);
  return found && store.read(found, 0, Buffer.alloc(found.size));
}

export async function keysOf(store: ObjectStore, prefix = "", signal?: AbortSignal): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix, signal)) keys.push(key);
  return keys;
}

/** Reason for the rejection of a promise. */
export async function errorOf(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => new Error("nothing was thrown"),
    (error: unknown) => error as Error,
  );
}
