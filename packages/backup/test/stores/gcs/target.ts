import { randomBytes, randomUUID } from "node:crypto";
import { writeFederatedCredentials } from "@perdura/test-servers/gcs/credentials.js";
import { startGcs } from "@perdura/test-servers/gcs/gcs_server.js";
import type { GcsServer } from "@perdura/test-servers/gcs/gcs_server.js";
import { afterAll, afterEach, beforeAll, describe, vi } from "vitest";
import type { ObjectStore, StoreLimits, Upload } from "../../../src/stores/object_store.ts";
import { openGcsStore } from "../../../src/stores/gcs/gcs_store.ts";
import { gcsPlaceOf } from "../../../src/stores/gcs/address.ts";
import { freshFolder } from "../../../../../test/fresh_folder.ts";
import { needs } from "../../../../../test/needs.ts";

/** An address `gs://bucket/prefix` of Google's own service, with credentials from the environment, to test against. */
export const REAL: string | undefined = process.env["TEST_GCS_URL"] || undefined;

export const LIMITS: StoreLimits = { tries: 5, timeoutMs: 20_000, partSize: 8 << 20 };

export interface Target {
  /** A store below a prefix that no other test has, or in the place of another store; closed after the tests. */
  open(limits?: Partial<StoreLimits>, other?: ObjectStore): Promise<ObjectStore>;
  /** Our own server; absent with `TEST_GCS_URL`. */
  readonly server: GcsServer;
}

/** Describes tests that any server of Google Cloud Storage must pass. */
export function describeWithGcs(name: string, tests: (target: Target) => void): void {
  describe(name, () => tests(REAL === undefined ? withOwnServer() : withRealServer(REAL)));
}

/** Describes tests that observe or break the server. */
export function describeWithOwnGcs(name: string, tests: (target: Target) => void): void {
  describe(name, needs("own-server", REAL !== undefined), () => tests(withOwnServer()));
}

/** The server requires known credentials, and the machine has such credentials. */
function withOwnServer(): Target {
  let server: GcsServer | undefined;
  const directory = freshFolder();
  const there = (): GcsServer => {
    if (server === undefined) throw new Error("the server is there in tests and hooks only");
    return server;
  };
  beforeAll(async () => {
    server = await startGcs({ buckets: [{ name: "kept" }], subjectTokens: ["subject-secret"], pageSize: 3 });
    const file = writeFederatedCredentials(directory, server.tokenUrl, "subject-secret");
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", file);
  });
  afterEach(() => server?.faults.clear());
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server?.stop();
  });
  // Hooks of the end run in reverse order: the server still runs, and then discards everything.
  const opened = closedAfterwards(() => Promise.resolve());
  return {
    get server() {
      return there();
    },
    open: async (limits, other) =>
      opened(
        await openGcsStore(
          other === undefined ? { bucket: "kept", prefix: `tests/${randomUUID()}` } : gcsPlaceOf(other.place),
          { ...LIMITS, ...limits },
          { endpoint: there().endpoint },
        ),
      ),
  };
}

function withRealServer(address: string): Target {
  const { bucket, prefix } = gcsPlaceOf(address);
  const opened = closedAfterwards(async (store) => {
    for await (const { key } of store.list("")) await store.remove(key);
  });
  return {
    get server(): never {
      throw new Error("with TEST_GCS_URL there is no server of our own");
    },
    open: async (limits, other) =>
      opened(
        await openGcsStore(
          other === undefined ? { bucket, prefix: `${prefix}/perdura-tests/${randomUUID()}` } : gcsPlaceOf(other.place),
          { ...LIMITS, ...limits },
        ),
      ),
  };
}

/** After the tests, every store is emptied and closed. */
function closedAfterwards(empty: (store: ObjectStore) => Promise<void>): (store: ObjectStore) => ObjectStore {
  const stores: ObjectStore[] = [];
  afterAll(async () => {
    for (const store of stores) {
      await empty(store);
      await store.close();
    }
  });
  return (store) => {
    stores.push(store);
    return store;
  };
}

export interface Sent extends Upload {
  bytes: Buffer;
  /** Progress after each part. */
  reported: number[];
  /** Ranges that were read, including repeated reads. */
  reads: string[];
}

export function uploadOf(key: string, content: Buffer | string | number, more: Partial<Upload> = {}): Sent {
  const bytes = typeof content === "number" ? randomBytes(content) : Buffer.from(content);
  const reported: number[] = [];
  const reads: string[] = [];
  return {
    key,
    bytes,
    size: bytes.length,
    contentType: "application/octet-stream",
    metadata: { upload: randomUUID() },
    read: async (start, length) => {
      reads.push(`${start}+${length}`);
      return bytes.subarray(start, start + length);
    },
    sent: (sum) => reported.push(sum),
    reported,
    reads,
    ...more,
  };
}

export async function listed(store: ObjectStore, prefix = ""): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for await (const { key, size } of store.list(prefix)) found[key] = size;
  return found;
}

/** Reads all bytes of an object. */
export async function bytesOf(store: ObjectStore, key: string): Promise<Buffer> {
  const found = await store.find(key);
  if (found === undefined) throw new Error(`${key} is not there`);
  return store.read(found, 0, Buffer.alloc(found.size));
}
