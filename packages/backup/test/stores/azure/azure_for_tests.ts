import { randomBytes } from "node:crypto";
import { BlobServiceClient } from "@azure/storage-blob";
import type { ContainerClient } from "@azure/storage-blob";
import { startFaultyProxy } from "@perdura/test-servers/faulty_proxy/faulty_proxy.js";
import type { FaultyProxy } from "@perdura/test-servers/faulty_proxy/faulty_proxy.js";
import { inject } from "vitest";
import { parseAzureAddress } from "../../../src/stores/azure/address.ts";
import { openAzureStore } from "../../../src/stores/azure/azure_store.ts";
import type { AzureOptions } from "../../../src/stores/azure/azure_store.ts";
import type { ObjectStore, StoreLimits } from "../../../src/stores/object_store.ts";

/**
 * Connection string of an account to test with instead of Azurite; all data is in a prefix or a container that is
 * removed afterwards.
 */
const NAMED = process.env["TEST_AZURE_CONNECTION_STRING"] ?? "";

/** True if a proxy in front of the server is possible: encrypted data cannot be changed in transit. */
export const HAS_PROXY = !/^https:/m.test(endpointIn(NAMED) ?? (NAMED === "" ? "http:" : "https:"));

export const LIMITS: StoreLimits = { tries: 4, timeoutMs: 20_000, partSize: 1024 * 1024 };

/** A container for tests, with a faulty connection to it. */
export interface TestAzure {
  /** Through the proxy, if there is one. */
  connectionString: string;
  /** Without the proxy. */
  container: ContainerClient;
  /** Prefix below which tests write. */
  prefix: string;
  /** Only if `HAS_PROXY` is true. */
  proxy: FaultyProxy;
  /** Opens a store through the proxy. */
  open(limits?: Partial<StoreLimits>, options?: AzureOptions): Promise<ObjectStore>;
  /** Removes all written data, and stops the proxy. */
  stop(): Promise<void>;
}

export async function startAzure(): Promise<TestAzure> {
  const direct = NAMED === "" ? inject("azurite") : NAMED;
  const endpoint = endpointIn(direct);
  const proxy = HAS_PROXY ? await startFaultyProxy(endpoint as string) : undefined;
  const connectionString = proxy === undefined ? direct : direct.replace(new URL(endpoint as string).origin, proxy.url);
  const name = process.env["TEST_AZURE_CONTAINER"] ?? `perdura-tests-${randomBytes(6).toString("hex")}`;
  const container = BlobServiceClient.fromConnectionString(direct).getContainerClient(name);
  await container.createIfNotExists();
  const prefix = `perdura-tests/${randomBytes(6).toString("hex")}`;
  return {
    connectionString,
    container,
    prefix,
    proxy: proxy as FaultyProxy,
    open: (limits, options) =>
      openAzureStore(
        parseAzureAddress(`az://${name}/${prefix}`),
        { ...LIMITS, ...limits },
        { environment: { AZURE_STORAGE_CONNECTION_STRING: connectionString }, ...options },
      ),
    stop: async () => {
      await proxy?.stop();
      if (process.env["TEST_AZURE_CONTAINER"] === undefined) await container.delete();
      else for await (const blob of container.listBlobsFlat({ prefix })) await container.deleteBlob(blob.name);
    },
  };
}

function endpointIn(connectionString: string): string | undefined {
  return /(?:^|;)BlobEndpoint=([^;]+)/i.exec(connectionString)?.[1];
}

/** An answer in the form of the service. */
export function azureError(status: number, code: string, message: string, headers: Record<string, string> = {}) {
  const text = `${message}\nRequestId:00000000-0000-0000-0000-000000000000\nTime:2026-01-01T00:00:00.0000000Z`;
  const body = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${text}</Message></Error>`;
  return {
    answer: { status, headers: { "Content-Type": "application/xml", "x-ms-error-code": code, ...headers }, body },
  };
}
