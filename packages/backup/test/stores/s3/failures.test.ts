import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { startS3 } from "@perdura/test-servers/s3/server.js";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ObjectStore } from "../../../src/stores/object_store.ts";
import { openS3Store } from "../../../src/stores/s3/s3_store.ts";
import {
  bytes,
  ELSEWHERE,
  emptyEnvironment,
  errorOf,
  keysOf,
  LIMITS,
  opened,
  storeOn,
  uploadOf,
} from "./opened_store.ts";
import { needs } from "../../../../../test/needs.ts";

/** Every request of a store. */
const ACTS: [string, (store: ObjectStore) => Promise<unknown>][] = [
  ["store", (store) => store.add(uploadOf("k", bytes(10)))],
  ["look up", (store) => store.find("k")],
  ["read", (store) => store.read({ key: "k", size: 1, metadata: {}, revision: "" }, 0, Buffer.alloc(1))],
  ["list", (store) => keysOf(store)],
  ["remove", (store) => store.remove("k")],
];
const MINUTE = 60_000;

describe("reported failures", needs("own-server", ELSEWHERE !== undefined), () => {
  describe.each(ACTS)("when %s", (action, act) => {
    test("a bucket is missing", async () => {
      const { server } = await opened();
      const store = await storeOn(server, {}, "s3://missing");
      const { message } = await errorOf(act(store));
      expect(message).toMatch(
        /^s3:\/\/missing\?endpoint=http:\/\/127\.0\.0\.1:\d+: cannot .*: the bucket does not exist \((?:404 NoSuchBucket|404 NoSuchBucket: The specified bucket does not exist)\)\. /,
      );
      expect(message).toContain(action);
    });

    test("credentials are wrong", async () => {
      const { server } = await opened();
      for (const [name, value, code] of [
        ["AWS_ACCESS_KEY_ID", "AKIAOTHER", "InvalidAccessKeyId"],
        ["AWS_SECRET_ACCESS_KEY", "other/secret", "SignatureDoesNotMatch"],
        ["AWS_SESSION_TOKEN", "other-token", "InvalidToken"],
      ] as const) {
        emptyEnvironment();
        vi.stubEnv("AWS_ACCESS_KEY_ID", server.credentials.accessKeyId);
        vi.stubEnv("AWS_SECRET_ACCESS_KEY", server.credentials.secretAccessKey);
        vi.stubEnv(name, value);
        const store = await openS3Store(`s3://backups?endpoint=${server.endpoint}`, LIMITS);
        const error = await errorOf(act(store));
        expect(error.message).toContain(": the credentials were refused (40");
        expect(error.message).toContain(code);
        expect(error).toMatchObject({ name: "StorageError", cause: { code } });
        for (const secret of [
          "other/secret",
          "other-token",
          server.credentials.secretAccessKey,
          "AWS4-HMAC",
          "amz-sdk",
        ])
          expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(secret);
        await store.close();
      }
    });

    test("the bucket is in another region", async () => {
      const { server } = await opened({ region: "eu-west-1", bucketsElsewhere: { far: "ap-south-1" } });
      const there = await storeOn(server, {}, "s3://far");
      expect((await errorOf(act(there))).message).toContain(": the bucket is in another region (");
      vi.stubEnv("AWS_REGION", "us-west-2");
      const store = await openS3Store(`s3://backups?endpoint=${server.endpoint}`, LIMITS);
      const { message } = await errorOf(act(store));
      expect(message).toMatch(
        /: the bucket is in another region \(.*Name the region in the address \(\?region=…\) or in AWS_REGION\.$/,
      );
      expect(message).toContain("the region 'us-west-2' is wrong; expecting 'eu-west-1'");
      await store.close();
    });

    test("no server listens", async () => {
      const { server, store } = await opened();
      await server.stop();
      const { message } = await errorOf(act(store));
      expect(message).toContain(" after 3 tries: the server cannot be reached (connect ECONNREFUSED");
      expect(message).not.toContain("may have");
    });

    test("a clock is wrong: corrected once, then reported", async () => {
      const { server, store } = await opened({ clockOffset: 90 * MINUTE });
      // The SDK learns the server's time from the first answer.
      if (action === "look up") expect(await act(store)).toBeUndefined();
      else if (action !== "read") await act(store);
      else
        expect((await errorOf(act(store))).message).toContain(
          "cannot read k: the object was replaced or removed (404 NoSuchKey",
        );
      const what = { status: 403, code: "RequestTimeTooSkewed", message: "The difference is too large." };
      for (const on of ["PutObject", "HeadObject", "GetObject", "ListObjectsV2", "DeleteObject"])
        server.faults.next({ on, times: 9, what });
      expect((await errorOf(act(store))).message).toMatch(
        / after 2 tries: the clock of this machine is wrong \(403 RequestTimeTooSkewed: The difference is too large.*\)\. /,
      );
    });
  });

  test.each(["ad", "a+b/c=", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"])(
    "hides the secret %s that a store repeats, but not words that contain it",
    async (secretAccessKey) => {
      const { server, store } = await opened({ credentials: { accessKeyId: "AKIATEST", secretAccessKey } });
      const message = `Loading failed: the key ${secretAccessKey} (${encodeURIComponent(secretAccessKey)}) is bad`;
      server.faults.next({ on: "HeadObject", what: { status: 403, code: "AccessDenied", message } });
      server.faults.next({ on: "ListObjectsV2", what: { status: 403, code: "AccessDenied", message } });
      const error = await errorOf(store.find("k"));
      expect(error.message).toContain("(403 AccessDenied: Loading failed: the key … (…) is bad).");
      expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/key ad|a\+b|a%2Bb|wJalr/);
    },
  );

  test("invalid responses", async () => {
    const headers = { etag: '"x"', "transfer-encoding": "chunked" };
    const server = createServer((request, response) => {
      const { range = "" } = request.headers;
      // A range that the object has, with one byte missing or added.
      if (range === "bytes=0-4") response.writeHead(206, { ...headers, "content-range": "bytes 0-4/10" }).end("0123");
      else if (range === "bytes=0-5")
        response.writeHead(206, { ...headers, "content-range": "bytes 0-5/10" }).end("0123456");
      else response.writeHead(200, headers).end("<html>hello");
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const own = await startS3();
    onTestFinished(() => own.stop());
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const store = await storeOn({ ...own, endpoint });
    expect(await errorOf(keysOf(store))).toMatchObject({ name: "StorageError", path: store.place });
    const reading = (start: number, length: number) =>
      errorOf(store.read({ key: "k", size: 10, metadata: {}, revision: '"x"' }, start, Buffer.alloc(length)));
    expect((await reading(2, 3)).message).toContain("requested bytes 2-4, received the whole object");
    expect((await reading(0, 5)).message).toContain("the response was truncated (4 of 5 bytes arrived)");
    expect((await reading(0, 6)).message).toContain("more than 6 bytes arrived");
  });
});
