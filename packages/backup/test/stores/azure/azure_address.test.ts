import { createHmac } from "node:crypto";
import type { AnonymousCredential, StorageSharedKeyCredential } from "@azure/storage-blob";
import { describe, expect, test } from "vitest";
import { assertMetadata, blobName, checkedPrefix, parseAzureAddress } from "../../../src/stores/azure/address.ts";
import { serviceOf } from "../../../src/stores/azure/client.ts";
import { openAzureStore } from "../../../src/stores/azure/azure_store.ts";
import { LIMITS } from "./azure_for_tests.ts";

const HOST = "account.blob.core.windows.net";
const KEY_BYTES = Buffer.alloc(64, 3);
const KEY = KEY_BYTES.toString("base64");
const OTHER_KEY = Buffer.alloc(64, 4).toString("base64");

describe("addresses on Azure", () => {
  test.each([
    ["az://container", undefined, ""],
    ["az://container/", undefined, ""],
    ["az://container/a/b%20-c/", undefined, "a/b%20-c"],
    [`az://container@${HOST}`, HOST, ""],
    [`az://container@${HOST}/a`, HOST, "a"],
    ["az://container@Account.Blob.core.chinacloudapi.cn//a", "account.blob.core.chinacloudapi.cn", "a"],
    ["az://container@account.z42.blob.storage.azure.net", "account.z42.blob.storage.azure.net", ""],
  ])("%s", (text, host, prefix) => {
    expect(parseAzureAddress(text)).toEqual({ container: "container", host, prefix });
  });

  test.each([
    "",
    "container",
    "s3://container",
    "az://",
    "az://Container",
    "az://-container",
    "az://con--tainer",
    "az://co",
    "az://container?sig=secret",
    "az://container/a?sig=secret",
    "az://container@evil.example/secret",
    "az://a@b@c",
    `az://container:secret@${HOST}`,
    `az://container@${HOST}:secret`,
    "az://container/a/../secret",
    "az://container/a//b",
    "az://container/a.",
    "az://container/ä",
    "az://container/a b",
    "az://container/a\nb",
  ])("refuses %j without showing it", (text) => {
    expect(() => parseAzureAddress(text)).toThrow(/^(?:place|prefix): expected /);
    expect(() => parseAzureAddress(text)).not.toThrow(/secret|evil/);
  });

  test("refuses keys that the service would change", () => {
    for (const key of [
      "",
      "/a",
      "a/",
      "a//b",
      "a/./b",
      "a/../b",
      "..",
      "a.",
      "a./b",
      "a?b",
      "a#b",
      "ä",
      "a\\b",
      "x".repeat(1025),
    ])
      expect(() => blobName("", key), key).toThrow(/^key: expected/);
    expect(blobName("p", "%2e%2e/.a/..b")).toBe("p/%2e%2e/.a/..b");
    expect(() => blobName("p", "x".repeat(1023))).toThrow(/^key: expected/);
    expect(blobName("p", "x".repeat(1022))).toHaveLength(1024);
    expect(checkedPrefix("/a/b//")).toBe("a/b");
    expect(() => checkedPrefix(7)).toThrow("prefix: expected a string, got 7.");
  });

  test("refuses metadata that the service would change", () => {
    assertMetadata({ a: "x", upload: 'a "b" ~' });
    for (const name of ["", "A", "a-b", "a_b", "ä"])
      expect(() => assertMetadata({ [name]: "x" })).toThrow(/^metadata: /);
    for (const value of ["", " x", "x ", "ä", "a\nb"])
      expect(() => assertMetadata({ a: value })).toThrow(/^metadata\.a: /);
  });
});

describe("credentials in the environment", () => {
  const named = { container: "container", host: HOST, prefix: "" };
  const unnamed = { ...named, host: undefined };
  const text = (account: string, key: string) =>
    `DefaultEndpointsProtocol=https;AccountName=${account};AccountKey=${key};`;
  const service = (address: typeof named | typeof unnamed, environment: Record<string, string>) =>
    serviceOf(
      address,
      "az://container",
      LIMITS,
      Object.fromEntries(Object.entries(environment).map(([name, value]) => [`AZURE_STORAGE_${name}`, value])),
    );

  test.each([
    [unnamed, { ACCOUNT: "account", KEY }],
    [unnamed, { CONNECTION_STRING: text("account", KEY), ACCOUNT: "other", KEY: OTHER_KEY }],
    [named, { KEY }],
    [named, { KEY, SAS_TOKEN: "sv=1&sig=x", CONNECTION_STRING: text("account", OTHER_KEY) }],
    [named, { CONNECTION_STRING: text("account", KEY) }],
    [unnamed, { CONNECTION_STRING: `AccountName=account;AccountKey=${KEY}` }],
    [named, { KEY, CONNECTION_STRING: "not looked at" }],
    // The key of another account is not sent to this one.
    [named, { CONNECTION_STRING: text("account", KEY), ACCOUNT: "other", KEY: OTHER_KEY, SAS_TOKEN: "sv=1&sig=x" }],
  ])("uses a key (%#)", async (address, environment) => {
    const client = await service(address, environment);
    expect(new URL(client.url).host).toBe(HOST);
    const credential = client.credential as StorageSharedKeyCredential;
    expect(credential.accountName).toBe("account");
    expect(credential.computeHMACSHA256("x")).toBe(createHmac("sha256", KEY_BYTES).update("x").digest("base64"));
  });

  test.each([
    [unnamed, { ACCOUNT: "account", SAS_TOKEN: "?sv=1&sig=x" }],
    [named, { SAS_TOKEN: "sv=1&sig=x" }],
    [named, { CONNECTION_STRING: `BlobEndpoint=https://${HOST};SharedAccessSignature=sv=1&sig=x`, KEY: "" }],
  ])("uses a SAS token (%#)", async (address, environment) => {
    const client = await service(address, environment);
    expect(new URL(client.url).host).toBe(HOST);
    expect(new URL(client.url).search).toBe("?sv=1&sig=x");
    expect((client.credential as AnonymousCredential).constructor.name).toBe("AnonymousCredential");
    expect(client.getContainerClient("container").getBlobClient("a/b").url).toBe(
      `https://${HOST}/container/a/b?sv=1&sig=x`,
    );
  });

  test.each([
    [unnamed, {}, "no usable credentials were found. Nothing was sent. Set AZURE_STORAGE_CONNECTION_STRING"],
    [
      unnamed,
      { KEY, SAS_TOKEN: "sv=1" },
      "no usable credentials were found. Nothing was sent. Set AZURE_STORAGE_CONNECTION_STRING",
    ],
    [unnamed, { ACCOUNT: "https://secret", KEY }, "AZURE_STORAGE_ACCOUNT is invalid: expected 3 to 24"],
    [unnamed, { ACCOUNT: "account", KEY: "secret!" }, "AZURE_STORAGE_KEY is invalid: expected a key in base64"],
    [named, { CONNECTION_STRING: "secret" }, "AZURE_STORAGE_CONNECTION_STRING is invalid"],
    [named, { CONNECTION_STRING: "AccountKey=secret==" }, "AZURE_STORAGE_CONNECTION_STRING is invalid"],
    [unnamed, { CONNECTION_STRING: text("account", "secret!") }, "the AccountKey of AZURE_STORAGE_CONNECTION_STRING"],
    [
      unnamed,
      { CONNECTION_STRING: "BlobEndpoint=secret;SharedAccessSignature=sig=secret" },
      "CONNECTION_STRING is invalid",
    ],
  ])("refuses invalid settings (%#)", async (address, environment, words) => {
    const opening = service(address, environment as Record<string, string>);
    await expect(opening).rejects.toMatchObject({ code: "PERDURA_STORAGE", path: "az://container" });
    await expect(opening).rejects.toThrow(words);
    await expect(opening).rejects.not.toThrow("secret");
  });

  test("the place shows the account, and no token", async () => {
    const environment = { AZURE_STORAGE_SAS_TOKEN: "sv=1&sig=x" };
    expect((await openAzureStore(named, LIMITS, { environment })).place).toBe(`az://container@${HOST}`);
    const emulator = "UseDevelopmentStorage=true";
    const local = await openAzureStore({ ...unnamed, prefix: "a/b" }, LIMITS, {
      environment: { AZURE_STORAGE_CONNECTION_STRING: emulator },
    });
    expect(local.place).toBe("http://127.0.0.1:10000/devstoreaccount1/container/a/b");
  });
});
