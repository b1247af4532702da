import { inspect } from "node:util";
import { ContainerSASPermissions } from "@azure/storage-blob";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { parseAzureAddress } from "../../../src/stores/azure/address.ts";
import { openAzureStore } from "../../../src/stores/azure/azure_store.ts";
import { redactSecrets } from "@perdura/internals/terminal/redact_secrets.js";
import type { ObjectStore } from "../../../src/stores/object_store.ts";
import { bytesIn, expectStorageError, foundIn, listed, uploadOf } from "../suite/for_tests.ts";
import { azureError, HAS_PROXY, LIMITS, startAzure, type TestAzure } from "./azure_for_tests.ts";
import { needs } from "../../../../../test/needs.ts";

const HOUR = 3_600_000;

let azure: TestAzure;
beforeAll(async () => {
  azure = await startAzure();
});
afterAll(async () => azure.stop());

/** Opens the container, or another one, with other credentials. */
async function openWith(connectionString: string, container = azure.container.containerName): Promise<ObjectStore> {
  return openAzureStore(
    parseAzureAddress(`az://${container}/${azure.prefix}`),
    { ...LIMITS, tries: 2 },
    {
      environment: { AZURE_STORAGE_CONNECTION_STRING: connectionString },
    },
  );
}

/** Errors of a store for any request; expects the same from all methods. */
async function refusals(store: ObjectStore): Promise<string[]> {
  const found = { key: "x", size: 10, metadata: {}, revision: '"0x1"' };
  const tasks = [
    () => store.add(uploadOf("x", Buffer.alloc(10))),
    () => store.add(uploadOf("x", Buffer.alloc(3 * LIMITS.partSize))),
    () => store.find("x"),
    () => store.read(found, 0, Buffer.alloc(10)),
    () => listed(store, ""),
    () => store.remove("x"),
  ];
  const messages = [];
  for (const task of tasks) messages.push(await expectStorageError(task(), store.place));
  return messages;
}

async function tokenFor(permissions: string, until = Date.now() + HOUR): Promise<string> {
  const url = await azure.container.generateSasUrl({
    permissions: ContainerSASPermissions.parse(permissions),
    expiresOn: new Date(until),
  });
  return new URL(url).search.slice(1);
}

function withToken(token: string): string {
  const { origin, pathname } = new URL(azure.container.url);
  return `BlobEndpoint=${origin}${pathname.slice(0, pathname.lastIndexOf("/"))};SharedAccessSignature=${token}`;
}

describe("credentials of Azure Blob Storage", () => {
  test("reports a wrong key", async () => {
    const wrong = azure.connectionString.replace(
      /AccountKey=[^;]+/,
      `AccountKey=${Buffer.alloc(64).toString("base64")}`,
    );
    for (const message of await refusals(await openWith(wrong)))
      expect(message).toMatch(/: the credentials were refused \(40[013]/);
  });

  test("uses a SAS token within its permissions", async () => {
    const store = await openWith(withToken(await tokenFor("rcwdl")));
    expect(await store.add(uploadOf("by-token", Buffer.from("abc")))).toBe("added");
    expect(await store.add(uploadOf("by-token", Buffer.from("abd")))).toBe("exists");
    expect(`${await bytesIn(store, "by-token")}`).toBe("abc");
    expect(await listed(store, "by-")).toEqual([{ key: "by-token", size: 3 }]);
    await store.remove("by-token");
    const reader = await openWith(withToken(await tokenFor("rl")));
    const message = await expectStorageError(reader.add(uploadOf("by-token", Buffer.from("abc"))), reader.place);
    expect(message).toMatch(
      /cannot store by-token: the credentials do not allow this \(403 Authorization.*Nothing was stored\. Check the permissions/,
    );
  });

  test("reports a wrong and an expired SAS token", async () => {
    const token = await tokenFor("rcwdl");
    const forged = await openWith(withToken(token.replace(/sig=[^&]+/, "sig=AAAA")));
    for (const message of await refusals(forged)) expect(message).toMatch(/: the credentials were refused \(40[013]/);
    const ended = await openWith(withToken(await tokenFor("rcwdl", Date.now() - HOUR)));
    for (const message of await refusals(ended))
      expect(message).toMatch(/: the credentials are not valid at this time \(40[013] .*Renew the credentials\.$/);
  });

  test("reports a missing container", async () => {
    const store = await openWith(azure.connectionString, "perdura-no-such-container");
    for (const message of await refusals(store))
      expect(message).toMatch(/: the container does not exist \(404 .*ContainerNotFound/);
  });

  test("errors contain no key, token or signature", async () => {
    const token = await tokenFor("rcwdl");
    const [forgedKey, forgedSignature] = [Buffer.alloc(64, 9).toString("base64"), "Zm9yZ2VkIHNpZ25hdHVyZQ"];
    const strings = [
      azure.connectionString.replace(/AccountKey=[^;]+/, `AccountKey=${forgedKey}`),
      withToken(token.replace(/sig=[^&]+/, `sig=${forgedSignature}`)),
    ];
    for (const connectionString of strings) {
      const store = await openWith(connectionString);
      const error: unknown = await store.find("x").catch((reason: unknown) => reason);
      expect(isPerduraError(error)).toBe(true);
      const shown = `${inspect(error, { depth: 20, showHidden: true })} ${everything(error)} ${store.place}`;
      expect(shown).toMatch(/refused .40[013]/);
      expect(shown).not.toMatch(/sig=[^…]|SharedKey |[Aa]uthorization:/);
      for (const secret of [forgedKey, forgedSignature]) expect(shown).not.toContain(secret);
    }
  });

  test("reports a wrong clock", needs("own-server", !HAS_PROXY), async () => {
    const store = await azure.open();
    const refused = "Server failed to authenticate the request.";
    const date = new Date(Date.now() - HOUR).toUTCString();
    const words = `403 AuthenticationFailed: ${refused.slice(0, -1)}; this machine has \\d{4}-.*, the store has ${new Date(date).toISOString()}`;
    azure.proxy.faults.next(azureError(403, "AuthenticationFailed", refused, { Date: date }));
    const said = await expectStorageError(listed(store, "x"), store.place);
    expect(said).toMatch(new RegExp(`the clock of this machine is wrong .${words}.. Set the clock.`));
    // An answer to HEAD has no body, but a date.
    azure.proxy.faults.next(azureError(403, "AuthenticationFailed", refused, { Date: date }));
    const compared = await expectStorageError(store.find("x"), store.place);
    expect(compared).toMatch(
      new RegExp(`the clock of this machine is wrong .403 AuthenticationFailed; this machine has`),
    );
    azure.proxy.faults.next(azureError(403, "AuthenticationFailed", refused));
    expect(await expectStorageError(store.find("x"), store.place)).toMatch(/the credentials were refused/);
  });

  test("reports an unreachable server without delay, and that nothing was stored", async () => {
    const gone = azure.connectionString.replace(/BlobEndpoint=[^;]+/, "BlobEndpoint=http://127.0.0.1:9/account");
    const store = await openWith(
      gone.includes("127.0.0.1:9/") ? gone : `${gone};BlobEndpoint=http://127.0.0.1:9/account`,
    );
    const messages = await refusals(store);
    for (const message of messages)
      expect(message).toMatch(/after 2 tries: the server cannot be reached \(.*ECONNREFUSED/);
    for (const message of messages.slice(0, 2))
      expect(message).toMatch(/: cannot store x .*Nothing was stored\. Check the address/);
  });

  test("uses an existing client unchanged", async () => {
    const { container, prefix } = azure;
    const store = await openAzureStore({ client: container, prefix: `${prefix}/given` }, LIMITS);
    await store.add(uploadOf("a", Buffer.from("x")));
    await store.close();
    const service = (await import("@azure/storage-blob")).BlobServiceClient.fromConnectionString(
      azure.connectionString,
    );
    const place = { client: service, container: container.containerName, prefix };
    const other = await openAzureStore(place, LIMITS);
    expect(await foundIn(other, "given/a")).toMatchObject({ size: 1 });
    await expect(openAzureStore({ client: service } as never, LIMITS)).rejects.toThrow(/^container: expected/);
    await expect(openAzureStore({ client: {} } as never, LIMITS)).rejects.toThrow(
      /^client: expected a ContainerClient/,
    );
  });
});

test("removes signatures and keys from all shown text", () => {
  const text =
    "https://a/b?sv=1&sig=S%2Fx&se=2 and SharedAccessSignature=sv=1&sig=S;AccountKey=S==; Authorization: SharedKey a:S Bearer S.S?x=S&sig=1 signature found in the HTTP request 'S.S'";
  expect(redactSecrets(text)).not.toContain("S.S");
  expect(redactSecrets(text)).not.toMatch(/S%2F|[=:]S/);
  expect(redactSecrets(text)).toContain("https://a/b?sv=1&sig=…&se=2 and SharedAccessSignature=…&sig=…;AccountKey=…;");
  expect(redactSecrets("403 AuthenticationFailed: no.")).toBe("403 AuthenticationFailed: no.");
});

/** All strings that can be reached from a value, including those through symbols and non-enumerable properties. */
function everything(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || seen.has(value)) return "";
  seen.add(value);
  const fields = Reflect.ownKeys(value).map((name) => everything(Reflect.get(value, name), seen));
  return [value instanceof Error ? `${value.message} ${value.stack}` : "", ...fields].join(" ");
}
