import { writeFileSync } from "node:fs";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeFederatedCredentials } from "@perdura/test-servers/gcs/credentials.js";
import { startGcs } from "@perdura/test-servers/gcs/gcs_server.js";
import { startS3 } from "@perdura/test-servers/s3/server.js";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { parseAzureAddress } from "../../../src/stores/azure/address.ts";
import { openAzureStore } from "../../../src/stores/azure/azure_store.ts";
import { DirectoryStore } from "../../../src/stores/directory/directory_store.ts";
import { openGcsStore } from "../../../src/stores/gcs/gcs_store.ts";
import type { ObjectStore } from "../../../src/stores/object_store.ts";
import { openS3Store } from "../../../src/stores/s3/s3_store.ts";
import { foundIn, listed, uploadOf } from "../suite/for_tests.ts";
import { freshFolder } from "../../../../../test/fresh_folder.ts";

const LIMITS = { tries: 2, timeoutMs: 20_000, partSize: 5 << 20 };
const FOUND = { key: "k", size: 200, metadata: {}, revision: '"1"' };
const KEY = Buffer.alloc(64).toString("base64");

/** Opens a store of each kind whose server is at an address. */
const STORES: Record<string, (url: string) => Promise<ObjectStore>> = {
  S3: (url) => {
    const credentials = { AWS_ACCESS_KEY_ID: "AKIATEST", AWS_SECRET_ACCESS_KEY: "secret-of-tests" };
    for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
    vi.stubEnv("AWS_SESSION_TOKEN", undefined);
    return openS3Store(`s3://bucket/p?region=us-east-1&endpoint=${url}`, LIMITS);
  },
  Azure: (url) =>
    azureWith(`DefaultEndpointsProtocol=http;BlobEndpoint=${url}/account;AccountName=account;AccountKey=${KEY}`),
  "Google Cloud Storage": (url) => {
    vi.stubEnv("STORAGE_EMULATOR_HOST", url);
    return openGcsStore({ bucket: "bucket", prefix: "p" }, LIMITS);
  },
};

const azureWith = (connectionString: string): Promise<ObjectStore> =>
  openAzureStore(parseAzureAddress("az://container/p"), LIMITS, {
    environment: { AZURE_STORAGE_CONNECTION_STRING: connectionString },
  });

/** Requests of each kind, with the statement of its error about the data. */
const ACTIONS: [words: string, fate: string, act: (store: ObjectStore) => Promise<unknown>][] = [
  ["store k", " Nothing was stored.", (store) => store.add(uploadOf("k", Buffer.alloc(10)))],
  ["look up k", "", (store) => store.find("k")],
  ["read k", "", (store) => store.read(FOUND, 0, Buffer.alloc(100))],
  ["list k*", "", (store) => listed(store, "k")],
  ["remove k", " Nothing was removed.", (store) => store.remove("k")],
];

/** Starts a server that answers every request in the same way. */
async function serverThat(answers: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => answers(request, response));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const status =
  (code: number): RequestListener =>
  (_, response) =>
    void response.writeHead(code, { "content-length": 0 }).end();

/** An address at which nothing listens. */
async function closedPort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}

/** A host name that no name server can know: one of its labels is too long. */
const UNKNOWN_HOST = `http://${"x".repeat(64)}.test`;

/** Opens a store, runs a request, and returns its error message without the store's place. */
async function messageOf(
  open: () => Promise<ObjectStore>,
  act: (store: ObjectStore) => Promise<unknown>,
): Promise<string> {
  onTestFinished(() => void vi.unstubAllEnvs());
  const store = await open();
  onTestFinished(() => store.close());
  const error: unknown = await act(store).catch((reason: unknown) => reason);
  if (!isPerduraError(error, "PERDURA_STORAGE")) throw error;
  expect(error.message.startsWith(`${store.place}: `)).toBe(true);
  return error.message.slice(store.place.length + 2);
}

const FAILURES: [name: string, at: () => Promise<string>, words: string | RegExp, advice: string, tries: string][] = [
  ["503", () => serverThat(status(503)), "the store failed (503).", "Retry later.", " after 2 tries"],
  ["429", () => serverThat(status(429)), "the store is throttling requests (429).", "Retry later.", " after 2 tries"],
  [
    "a refused connection",
    closedPort,
    /^the server cannot be reached \(connect ECONNREFUSED 127\.0\.0\.1:\d+\)\.$/,
    "Check the address and the network.",
    " after 2 tries",
  ],
  [
    "an unknown host",
    async () => UNKNOWN_HOST,
    /^the host name is unknown \(getaddrinfo ENOTFOUND x+\.test\)\.$/,
    "Check the address and the network.",
    " after 2 tries",
  ],
  ["401", () => serverThat(status(401)), "the credentials were refused (401).", "Check the credentials.", ""],
  [
    "403",
    () => serverThat(status(403)),
    "the credentials do not allow this (403).",
    "Check the permissions of the credentials.",
    "",
  ],
];

describe.each(Object.keys(STORES))("%s reports in the words of all stores", (kind) => {
  const open = STORES[kind] as (url: string) => Promise<ObjectStore>;

  test.each(FAILURES)("the failure %s", async (_, at, words, advice, tries) => {
    const url = await at();
    for (const [action, fate, act] of ACTIONS) {
      const message = await messageOf(() => open(url), act);
      const [begin, end] = [`cannot ${action}${tries}: `, `${fate} ${advice}`];
      expect([message.slice(0, begin.length), message.slice(-end.length)]).toEqual([begin, end]);
      const reason = message.slice(begin.length, -end.length);
      if (typeof words === "string") expect(reason).toBe(words);
      else expect(reason).toMatch(words);
    }
  });

  test("a truncated object", async () => {
    const part = { etag: '"1"', "content-range": "bytes 0-99/200", "content-length": 100, "content-type": "a/b" };
    const url = await serverThat((_, response) => {
      response.writeHead(206, part);
      endAfter(response, "0123456789");
    });
    expect(
      await messageOf(
        () => open(url),
        (store) => store.read(FOUND, 0, Buffer.alloc(100)),
      ),
    ).toBe("cannot read k after 2 tries: the response was truncated (10 of 100 bytes arrived). Retry later.");
  });

  test("an object truncated by a reset", async () => {
    const sockets: Socket[] = [];
    const part = { etag: '"1"', "content-range": "bytes 0-99/200", "content-length": 100, "content-type": "a/b" };
    const url = await serverThat((request, response) => {
      sockets.push(request.socket);
      response.writeHead(206, part).write("0123456789");
    });
    const into = Buffer.alloc(100);
    const message = messageOf(
      () => open(url),
      (store) => store.read(FOUND, 0, into),
    );
    for (let tries = 0; tries < LIMITS.tries; tries += 1) {
      // A reset discards data that was not read yet.
      await expect.poll(() => into[9]).toBe("9".charCodeAt(0));
      into.fill(0);
      sockets.pop()?.resetAndDestroy();
    }
    expect(await message).toBe(
      "cannot read k after 2 tries: the response was truncated (10 of 100 bytes arrived). Retry later.",
    );
  });

  test("a replaced object", async () => {
    const url = await serverThat(status(412));
    const read = (store: ObjectStore): Promise<unknown> => store.read(FOUND, 0, Buffer.alloc(100));
    expect(await messageOf(() => open(url), read)).toBe("cannot read k: the object was replaced or removed (412).");
  });

  test("another truncated response", async () => {
    const url = await serverThat((_, response) => {
      response.writeHead(200, { "content-length": 1000, "content-type": "application/xml" });
      endAfter(response, "<");
    });
    expect(
      await messageOf(
        () => open(url),
        (store) => listed(store, "k"),
      ),
    ).toBe("cannot list k* after 2 tries: the response was truncated. Retry later.");
  });

  test("an uncertain change", async () => {
    const url = await serverThat((request, response) => {
      if (request.method === "DELETE" || request.method === "PUT" || request.method === "POST")
        request.socket.destroy();
      else status(503)(request, response);
    });
    expect(
      await messageOf(
        () => open(url),
        (store) => store.add(uploadOf("k", Buffer.alloc(10))),
      ),
    ).toBe(
      "cannot store k after 2 tries: the connection broke (ECONNRESET). The upload may have succeeded; check before retrying.",
    );
    expect(
      await messageOf(
        () => open(url),
        (store) => store.remove("k"),
      ),
    ).toBe(
      "cannot remove k after 2 tries: the connection broke (ECONNRESET). The removal may have succeeded; check before retrying.",
    );
  });
});

test("a directory reports a replaced, removed or truncated object in the same words", async () => {
  const directory = freshFolder();
  const open = async (): Promise<ObjectStore> => new DirectoryStore(directory, pathToFileURL(directory).href);
  const read = (store: ObjectStore): Promise<unknown> => store.read(FOUND, 0, Buffer.alloc(100));
  const changed = "cannot read k: the object was replaced or removed.";
  expect(await messageOf(open, read)).toBe(changed);
  writeFileSync(join(directory, "k"), "0123456789");
  expect(await messageOf(open, read)).toBe(changed);
  const readShort = async (store: ObjectStore): Promise<unknown> =>
    store.read(await foundIn(store, "k"), 0, Buffer.alloc(100));
  expect(await messageOf(open, readShort)).toBe(
    "cannot read k: the response was truncated (10 of 100 bytes arrived). Retry later.",
  );
});

/** Sends the beginning of a body, and closes the connection. */
function endAfter(response: ServerResponse, begin: string): void {
  response.write(begin, () => response.socket?.destroySoon());
}

/** Answers of each service for throttling. */
const THROTTLED: Record<string, [status: number, body: string, said: string]> = {
  S3: [503, "<Error><Code>SlowDown</Code><Message>Wait.</Message></Error>", "503 SlowDown: Wait"],
  Azure: [503, "<Error><Code>ServerBusy</Code><Message>Wait.</Message></Error>", "503 ServerBusy: Wait"],
  "Google Cloud Storage": [
    403,
    '{"error":{"code":403,"message":"Wait.","errors":[{"reason":"rateLimitExceeded"}]}}',
    "403 rateLimitExceeded: Wait",
  ],
};

test.each(Object.entries(THROTTLED))("%s reports throttling, whatever its code", async (kind, answer) => {
  const [code, body, said] = answer;
  const url = await serverThat((_, response) => {
    response
      .writeHead(code, { "content-type": body.startsWith("<") ? "application/xml" : "application/json" })
      .end(body);
  });
  const open = STORES[kind] as (url: string) => Promise<ObjectStore>;
  expect(
    await messageOf(
      () => open(url),
      (store) => listed(store, "k"),
    ),
  ).toBe(`cannot list k* after 2 tries: the store is throttling requests (${said}). Retry later.`);
});

/** Opens stores on strict servers with wrong credentials. */
const WRONG_CREDENTIALS: Record<string, () => Promise<ObjectStore>> = {
  S3: async () => {
    const server = await startS3();
    onTestFinished(() => server.stop());
    return (STORES["S3"] as (url: string) => Promise<ObjectStore>)(server.endpoint);
  },
  Azure: () => azureWith(inject("azurite").replace(/AccountKey=[^;]+/, `AccountKey=${KEY}`)),
  "Google Cloud Storage": async () => {
    const server = await startGcs({ buckets: [{ name: "bucket" }], subjectTokens: ["subject-secret"] });
    onTestFinished(() => server.stop());
    const directory = freshFolder();
    const file = writeFederatedCredentials(directory, server.tokenUrl, "subject-secret");
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", file);
    const store = await openGcsStore({ bucket: "bucket" }, LIMITS, { endpoint: server.endpoint });
    server.tokens.revoke();
    return store;
  },
};

test.each(Object.entries(WRONG_CREDENTIALS))("%s refuses wrong credentials in the same words", async (_, open) => {
  for (const [action, fate, act] of ACTIONS)
    expect((await messageOf(open, act)).replace(/\(40[0-9] \w+(?:: [^()]*)?\)/, "()")).toBe(
      `cannot ${action}: the credentials were refused ().${fate} Check the credentials.`,
    );
});
