import { writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { inspect } from "node:util";
import { Storage } from "@google-cloud/storage";
import {
  newServiceAccount,
  sendTokenRequestsTo,
  writeFederatedCredentials,
} from "@perdura/test-servers/gcs/credentials.js";
import { startGcs } from "@perdura/test-servers/gcs/gcs_server.js";
import type { GcsOptions, GcsServer } from "@perdura/test-servers/gcs/gcs_server.js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openGcsStore } from "../../../src/stores/gcs/gcs_store.ts";
import { LIMITS, listed, uploadOf } from "./target.ts";
import { freshFolder } from "../../../../../test/fresh_folder.ts";

const account = newServiceAccount();
const SECRET = "subject-secret";
let server: GcsServer;
let directory: string;

beforeEach(() => {
  directory = freshFolder();
  vi.stubEnv("HOME", directory);
  vi.stubEnv("CLOUDSDK_CONFIG", join(directory, "gcloud"));
  vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", undefined);
  vi.stubEnv("STORAGE_EMULATOR_HOST", undefined);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.stop();
});

async function start(options: Partial<GcsOptions> = {}): Promise<void> {
  const serviceAccounts = { [account.email]: account.publicKey };
  server = await startGcs({ buckets: [{ name: "kept" }], serviceAccounts, subjectTokens: [SECRET], ...options });
}

/** Google's client with the key of an account, which requests tokens from our server. */
async function clientWith(key: object): Promise<Storage> {
  const storage = new Storage({ apiEndpoint: server.endpoint, useAuthWithCustomEndpoint: true, credentials: key });
  await sendTokenRequestsTo(server.tokenUrl, storage.authClient);
  return storage;
}

function asKnown(subject: string): void {
  vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", writeFederatedCredentials(directory, server.tokenUrl, subject));
}

/** Everything that an error shows, including hidden properties and causes. */
function shown(error: unknown): string {
  return inspect(error, { depth: 20, showHidden: true, getters: true });
}

describe("credentials", () => {
  test("of a passed client are used, with one token for many requests", async () => {
    await start();
    const store = await openGcsStore({ client: await clientWith(account.key), bucket: "kept", prefix: "p" }, LIMITS);
    await store.add(uploadOf("a", "x"));
    expect(await listed(store)).toEqual({ a: 1 });
    expect(server.tokens.given).toBe(1);
    expect(server.store.sorted("kept").map(({ name }) => name)).toEqual(["p/a"]);
    await store.close();
  });

  test.each([true, false])(
    "of an older client, which does not expose its option, are used like the client does: %s",
    async (uses) => {
      await start({ anonymous: !uses });
      const client = uses
        ? await clientWith(account.key)
        : new Storage({ apiEndpoint: server.endpoint, projectId: "any" });
      Reflect.deleteProperty(client, "useAuthWithCustomEndpoint");
      const store = await openGcsStore({ client, bucket: "kept" }, LIMITS);
      await store.add(uploadOf("a", "x"));
      expect(server.tokens.given).toBe(uses ? 1 : 0);
      await store.close();
    },
  );

  test("of a passed bucket are used, with its user project; it stays usable after the store is closed", async () => {
    await start({ buckets: [{ name: "kept", requesterPays: true }] });
    const bucket = (await clientWith(account.key)).bucket("kept", { userProject: "payer" });
    const store = await openGcsStore({ bucket }, { ...LIMITS, partSize: 1 << 20 });
    await store.add(uploadOf("a", "x"));
    await store.add(uploadOf("b", 3 << 20));
    await store.close();
    const [files] = await bucket.getFiles();
    expect(files.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  test("are not sent to an emulator", async () => {
    await start({ anonymous: true });
    vi.stubEnv("STORAGE_EMULATOR_HOST", server.endpoint);
    const store = await openGcsStore({ bucket: "kept" }, LIMITS);
    expect(await store.add(uploadOf("a", "x"))).toBe("added");
    expect(await listed(store)).toEqual({ a: 1 });
    expect(server.tokens.given).toBe(0);
    expect(await server.connections()).toBe(1);
    await store.close();
    await expect.poll(() => server.connections()).toBe(0);
  });

  test.each([
    [
      "are nowhere",
      "",
      /cannot open the store: no usable credentials were found \(.*\)\. Nothing was sent\. Set GOOGLE_APPLICATION_CREDENTIALS .*\.$/,
    ],
    [
      "nobody gives",
      "assume-present",
      /no usable credentials were found \(the metadata server of this machine provides none: .*\)\. Nothing was sent\./,
    ],
  ])("that %s are reported as missing without delay", async (_, detection, message) => {
    await start();
    // A silent server instead of the metadata server of Google's machines.
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
    await expect.poll(() => silent.listening).toBe(true);
    vi.stubEnv("GCE_METADATA_HOST", `127.0.0.1:${(silent.address() as AddressInfo).port}`);
    vi.stubEnv("METADATA_SERVER_DETECTION", detection);
    try {
      await expect(openGcsStore({ bucket: "kept" }, { ...LIMITS, timeoutMs: 300 })).rejects.toThrow(message);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });

  test.each([
    ["is not there", undefined, /no usable credentials were found \(.*not exist/],
    [
      "is not JSON",
      `secret-of-mine -----BEGIN PRIVATE KEY-----`,
      /no usable credentials were found \(the credentials file is not JSON\)/,
    ],
    [
      "has no key",
      JSON.stringify({ type: "service_account", client_email: "a@b" }),
      /no usable credentials were found \(.*private_key/,
    ],
    [
      "has a broken key",
      JSON.stringify({ ...account.key, private_key: "secret-of-mine" }),
      /no usable credentials were found \(/,
    ],
  ])("in a file that %s are reported without any of its content", async (_, content, message) => {
    await start();
    const file = join(directory, "key.json");
    if (content !== undefined) writeFileSync(file, content);
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", file);
    const opened = openGcsStore({ bucket: "kept" }, LIMITS, { endpoint: server.endpoint });
    await expect(opened).rejects.toThrow(message);
    await expect(opened).rejects.toSatisfy((error) => !shown(error).includes("secret-of-mine"));
  });

  test("that are unknown are refused", async () => {
    await start();
    asKnown("wrong-secret");
    const opened = openGcsStore({ bucket: "kept" }, LIMITS, { endpoint: server.endpoint });
    await expect(opened).rejects.toThrow(
      /cannot open the store: the credentials were refused \(invalid_grant: The subject token is not valid/,
    );
    await expect(opened).rejects.toSatisfy((error) => !shown(error).includes("wrong-secret"));
  });

  test("signed with another key are refused", async () => {
    await start();
    const client = await clientWith({ ...newServiceAccount().key, client_email: account.email });
    const opened = openGcsStore({ client, bucket: "kept" }, LIMITS);
    await expect(opened).rejects.toThrow(/the credentials were refused \(invalid_grant: Invalid JWT Signature\)/);
    await expect(opened).rejects.toSatisfy((error) => !/PRIVATE KEY|eyJ/.test(shown(error)));
  });

  test.each([2, -2])(
    "are refused if the clock of the machine is %s hours off, which the error reports",
    async (hours) => {
      await start({ clockAheadMs: hours * 3_600_000 });
      const opened = openGcsStore({ client: await clientWith(account.key), bucket: "kept" }, LIMITS);
      await expect(opened).rejects.toThrow(
        /cannot open the store: the clock of this machine is wrong \(invalid_grant: Invalid JWT: Token must be/,
      );
      await expect(opened).rejects.toSatisfy((error) => !/PRIVATE KEY|eyJ/.test(shown(error)));
    },
  );

  test("that are refused later are reported without the token", async () => {
    await start();
    asKnown(SECRET);
    const store = await openGcsStore(
      { bucket: "kept" },
      { ...LIMITS, partSize: 1 << 20 },
      { endpoint: server.endpoint },
    );
    await store.add(uploadOf("a", "x"));
    const found = await store.find("a");
    server.tokens.revoke();
    const calls: [string, () => Promise<unknown>][] = [
      ["store a", () => store.add(uploadOf("a", "x"))],
      ["store b", () => store.add(uploadOf("b", 3 << 20))],
      ["look up a", () => store.find("a")],
      ["read a", async () => found !== undefined && store.read(found, 0, Buffer.alloc(1))],
      ["list the objects", () => listed(store)],
      ["remove a", () => store.remove("a")],
    ];
    for (const [action, call] of calls) {
      const error: unknown = await call().catch((each: unknown) => each);
      expect(String(error)).toContain(
        `gs://kept: cannot ${action}: the credentials were refused (401 authError: Invalid Credentials)`,
      );
      expect(shown(error)).not.toMatch(/ya29|Bearer|upload_id|subject-secret/);
    }
    await store.close();
  });
});

test("credentials are not sent to another host that the store names for uploads", async () => {
  const shownTo: (string | undefined)[] = [];
  const other = createHttpServer((request, response) => {
    shownTo.push(request.headers.authorization);
    request.resume().on("end", () => response.writeHead(403).end());
  }).listen(0, "127.0.0.1");
  await expect.poll(() => other.listening).toBe(true);
  await start({ sessionsAt: `http://127.0.0.1:${(other.address() as AddressInfo).port}` });
  asKnown(SECRET);
  const store = await openGcsStore({ bucket: "kept" }, { ...LIMITS, partSize: 1 << 20 }, { endpoint: server.endpoint });
  await expect(store.add(uploadOf("a", 3 << 20))).rejects.toThrow(/the credentials do not allow this \(403\)/);
  // The first piece, and the cancellation.
  expect(shownTo).toEqual([undefined, undefined]);
  await store.close();
  other.close();
  other.closeAllConnections();
});

describe("a place", () => {
  test("whose bucket does not exist is reported", async () => {
    await start();
    asKnown(SECRET);
    const store = await openGcsStore(
      { bucket: "other" },
      { ...LIMITS, partSize: 1 << 20 },
      { endpoint: server.endpoint },
    );
    const missing = /the bucket does not exist \(404 notFound: The specified bucket does not exist\)/;
    await expect(store.add(uploadOf("a", "x"))).rejects.toThrow(missing);
    await expect(store.add(uploadOf("a", 3 << 20))).rejects.toThrow(missing);
    await expect(store.find("a")).rejects.toThrow(missing);
    await expect(listed(store)).rejects.toThrow(missing);
    await expect(store.remove("a")).rejects.toThrow(missing);
    await store.close();
  });

  test("that does not speak TLS is reported", async () => {
    await start();
    vi.stubEnv("STORAGE_EMULATOR_HOST", server.endpoint.replace("http:", "https:"));
    const store = await openGcsStore({ bucket: "kept" }, { ...LIMITS, tries: 3 });
    await expect(store.find("a")).rejects.toThrow(
      /^gs:\/\/kept: cannot look up a: no secure connection can be made \(.*SSL.*\)\. Check/,
    );
    await expect(store.find("a")).rejects.toMatchObject({ code: "PERDURA_STORAGE" });
    await store.close();
  });

  test("at which no server listens is reported as unreachable", async () => {
    await start();
    asKnown(SECRET);
    const place = { bucket: "kept", prefix: "x" };
    const store = await openGcsStore(place, { ...LIMITS, tries: 2 }, { endpoint: server.endpoint });
    await server.stop();
    await expect(store.add(uploadOf("a", "x"))).rejects.toThrow(
      /^gs:\/\/kept\/x: cannot store a after 2 tries: the server cannot be reached \(connect ECONNREFUSED 127\.0\.0\.1:\d+\)\. Nothing was stored\. Check the address and the network\.$/,
    );
    await expect(openGcsStore(place, { ...LIMITS, tries: 2 }, { endpoint: server.endpoint })).rejects.toThrow(
      /cannot open the store after 2 tries: the server cannot be reached \(no access token: .*ECONNREFUSED/,
    );
    await store.close();
    await start();
  });
});
