import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test, expect, vi } from "vitest";
import { parseAzureAddress } from "../../../src/stores/azure/address.ts";
import { openAzureStore } from "../../../src/stores/azure/azure_store.ts";
import { expectStorageError } from "../suite/for_tests.ts";
import { LIMITS } from "./azure_for_tests.ts";

describe("credentials of the machine", () => {
  const address = parseAzureAddress("az://container@account.blob.core.windows.net");

  test("are quickly reported as missing", async () => {
    vi.stubEnv("AZURE_TOKEN_CREDENTIALS", "EnvironmentCredential");
    for (const name of ["AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_USERNAME"])
      vi.stubEnv(name, "");
    const key = Buffer.alloc(64).toString("base64");
    const elsewhere = `AccountName=account;AccountKey=${key};BlobEndpoint=https://127.0.0.1/account`;
    const environment = {
      AZURE_STORAGE_CONNECTION_STRING: elsewhere,
      AZURE_STORAGE_ACCOUNT: "other",
      AZURE_STORAGE_KEY: key,
    };
    const opening = openAzureStore(address, LIMITS, { environment });
    const message = await expectStorageError(opening, "az://container@account.blob.core.windows.net");
    expect(message).toMatch(
      /cannot open the store: no usable credentials were found \(.*\)\. Nothing was sent\. Set AZURE_STORAGE_C.*\.$/,
    );
    vi.unstubAllEnvs();
  });

  test("are not waited for if the metadata server does not respond", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await new Promise((listening) => silent.once("listening", listening));
    vi.stubEnv("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential");
    vi.stubEnv("AZURE_POD_IDENTITY_AUTHORITY_HOST", `http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    const opening = openAzureStore(address, { ...LIMITS, timeoutMs: 300 }, { environment: {} });
    const message = await expectStorageError(opening, "az://container@account.blob.core.windows.net");
    expect(message).toContain("nor the signed-in user has any: no complete response within 300 ms). Nothing was sent.");
    vi.unstubAllEnvs();
    silent.closeAllConnections();
    silent.close();
  });
});
