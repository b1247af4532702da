import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { parseS3Address } from "../../../src/stores/s3/address.ts";
import { openS3Store } from "../../../src/stores/s3/s3_store.ts";
import { ELSEWHERE, emptyEnvironment, errorOf, keysOf, LIMITS, opened, uploadOf } from "./opened_store.ts";
import { needs } from "../../../../../test/needs.ts";

test("parses addresses", () => {
  expect(parseS3Address("s3://b-1/a/b%20c/?region=eu-west-1&endpoint=https://h:9000/")).toEqual({
    bucket: "b-1",
    prefix: "a/b%20c/",
    region: "eu-west-1",
    endpoint: "https://h:9000",
    place: "s3://b-1/a/b%20c?region=eu-west-1&endpoint=https://h:9000",
  });
  expect(parseS3Address("s3://bucket")).toMatchObject({ prefix: "", place: "s3://bucket", region: undefined });
  expect(parseS3Address("s3://bucket/")).toMatchObject({ prefix: "", place: "s3://bucket" });
});

test.each([
  ["s3://", "the name of a bucket"],
  ["s3://b_/x", "the name of a bucket"],
  ["s3://bucket/a//b", "segments that are empty"],
  ["s3://bucket/../b", 'segments that are empty, "." or ".."'],
  ["s3://bucket/é", "printable ASCII"],
  ["s3://bucket?regoin=x", "got another parameter"],
  ["s3://bucket?region=a&region=b", "twice"],
  ["s3://bucket?region=http://x", "the name of a region"],
  ["s3://bucket?endpoint=h:9000", "an endpoint like https://host:port"],
  ["s3://bucket?endpoint=https://me:s3cr3t@h", "without credentials"],
  ["s3://bucket?endpoint=https://h?token=s3cr3t", "without credentials and parameters"],
  ["s3://AKIA:s3cr3t@bucket", "without credentials"],
  ["s3://bucket#s3cr3t", "s3://bucket/prefix"],
])("refuses %s", async (address, expected) => {
  const error = await errorOf(openS3Store(address, LIMITS));
  expect(error).toMatchObject({ name: "ValidationError" });
  expect(error.message).toContain(expected);
  expect(inspect(error)).not.toContain("s3cr3t@");
  expect(error.message).not.toContain("s3cr3t");
});

test("reports a missing region and missing credentials at opening", async () => {
  emptyEnvironment();
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  expect((await errorOf(openS3Store("s3://bucket/p", LIMITS))).message).toBe(
    "s3://bucket/p: cannot open the store: the region of the bucket is unknown. Nothing was sent. Name it in the address (?region=eu-west-1), in AWS_REGION or in ~/.aws/config.",
  );
  const error = await errorOf(openS3Store("s3://bucket/p?region=eu-west-1", LIMITS));
  expect(error.message).toMatch(
    /^s3:\/\/bucket\/p\?region=eu-west-1: cannot open the store: no usable credentials were found \(.*\)\. Nothing was sent\. Set AWS_ACCESS_KEY_ID .*\.$/,
  );
  expect(error).toMatchObject({ name: "StorageError", path: "s3://bucket/p?region=eu-west-1" });
  vi.stubEnv("AWS_PROFILE", "nobody");
  expect((await errorOf(openS3Store("s3://bucket/p?region=eu-west-1", LIMITS))).message).toContain(
    "no usable credentials were found",
  );
});

test("does not wait for a service for credentials that never responds", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const open = new Set<{ destroy(): void }>();
  silent.on("connection", (socket) => open.add(socket));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    silent.close();
  });
  emptyEnvironment();
  const { port } = silent.address() as AddressInfo;
  vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", `http://127.0.0.1:${port}/credentials`);
  const { message } = await errorOf(openS3Store("s3://bucket?region=x", { ...LIMITS, timeoutMs: 200 }));
  expect(message).toContain("no usable credentials were found");
  expect(message).toContain("no complete response within 200 ms");
  const signal = AbortSignal.abort(new Error("stopped"));
  expect(await errorOf(openS3Store("s3://bucket?region=x", LIMITS, { signal }))).toBe(signal.reason);
});

describe("the environment", needs("own-server", ELSEWHERE !== undefined), () => {
  test.each(["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"])(
    "may set an endpoint in %s, which accepts any region",
    async (name) => {
      const { server } = await opened();
      vi.stubEnv("AWS_REGION", undefined);
      vi.stubEnv(name, server.endpoint);
      const store = await openS3Store("s3://backups/p", LIMITS);
      onTestFinished(() => store.close());
      expect(store.place).toBe(`s3://backups/p?endpoint=${server.endpoint}`);
      expect(await store.add(uploadOf("k", Buffer.from("1")))).toBe("added");
      expect(await keysOf(store)).toEqual(["k"]);
      vi.stubEnv(name, "https://me:s3cr3t@h");
      expect((await errorOf(openS3Store("s3://backups/p", LIMITS))).message).toBe(
        `${name}: expected an endpoint like https://host:port, without credentials and parameters.`,
      );
    },
  );

  test("lists foreign keys with any characters", async () => {
    const { server, store } = await opened();
    await store.add(uploadOf("k", Buffer.from("1")));
    const objects = server.state.buckets.get("backups")?.objects;
    const object = objects?.get("p/k");
    const unusual = ["\u0001\b", " a ", "a&b+c", "k", "ü\ufffe"];
    if (object !== undefined) for (const key of unusual) objects?.set(`p/${key}`, object);
    expect(await keysOf(store)).toEqual(unusual);
  });

  test("stores an object below the prefix, with its content type", async () => {
    const { server, store } = await opened();
    await store.add(uploadOf("a/b", Buffer.from("1"), { contentType: "application/json" }));
    const objects = server.state.buckets.get("backups")?.objects;
    expect([...(objects?.keys() ?? [])]).toEqual(["p/a/b"]);
    expect(objects?.get("p/a/b")?.contentType).toBe("application/json");
  });
});
