import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { raw } from "./raw_request.ts";
import { refusal, started } from "./server_for_tests.ts";

const Bucket = "backups";

test("stores an object with its type and metadata, and returns all or a range of it", async () => {
  const { client } = await started();
  const Body = Buffer.from("0123456789");
  const Metadata = { upload: "u-1", note: "a  b" };
  const put = await client.send(new PutObjectCommand({ Bucket, Key: "a/b", Body, ContentType: "text/x", Metadata }));
  const etag = `"${createHash("md5").update(Body).digest("hex")}"`;
  expect(put.ETag).toBe(etag);
  const found = await client.send(new GetObjectCommand({ Bucket, Key: "a/b", ChecksumMode: "ENABLED" }));
  expect(await found.Body?.transformToString()).toBe("0123456789");
  expect(found).toMatchObject({ ETag: etag, ContentLength: 10, ContentType: "text/x", ChecksumType: "FULL_OBJECT" });
  expect(found.ChecksumCRC32).toBe(put.ChecksumCRC32);
  expect(found.Metadata).toEqual({ upload: "u-1", note: "a  b" });
  const head = await client.send(new HeadObjectCommand({ Bucket, Key: "a/b" }));
  expect(head).toMatchObject({ ETag: etag, ContentLength: 10, Metadata: found.Metadata });
  expect(head.ChecksumCRC32).toBeUndefined();
  for (const [Range, text, shown] of [
    ["bytes=2-4", "234", "bytes 2-4/10"],
    ["bytes=8-", "89", "bytes 8-9/10"],
    ["bytes=-3", "789", "bytes 7-9/10"],
    ["bytes=8-100", "89", "bytes 8-9/10"],
  ] as const) {
    const part = await client.send(new GetObjectCommand({ Bucket, Key: "a/b", Range }));
    expect(await part.Body?.transformToString()).toBe(text);
    expect(part).toMatchObject({ ContentRange: shown, $metadata: { httpStatusCode: 206 } });
  }
  expect(await refusal(client.send(new GetObjectCommand({ Bucket, Key: "a/b", Range: "bytes=10-11" })))).toEqual({
    name: "InvalidRange",
    status: 416,
  });
});

test("obeys conditions when it reads", async () => {
  const { client } = await started();
  const { ETag } = await client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "1" }));
  await client.send(new GetObjectCommand({ Bucket, Key: "k", IfMatch: ETag }));
  await client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "2" }));
  expect(await refusal(client.send(new GetObjectCommand({ Bucket, Key: "k", IfMatch: ETag })))).toEqual({
    name: "PreconditionFailed",
    status: 412,
  });
});

test("obeys conditions when it writes", async () => {
  const { client } = await started();
  const put = (Body: string, conditions: { IfMatch?: string; IfNoneMatch?: string }, Key = "k") =>
    client.send(new PutObjectCommand({ Bucket, Key, Body, ...conditions }));
  const failed = { name: "PreconditionFailed", status: 412 };
  const { ETag } = await put("1", { IfNoneMatch: "*" });
  expect(await refusal(put("2", { IfNoneMatch: "*" }))).toEqual(failed);
  expect(await refusal(put("2", { IfMatch: '"other"' }))).toEqual(failed);
  expect(await refusal(put("2", { IfMatch: "x" }, "missing"))).toEqual({ name: "NoSuchKey", status: 404 });
  expect((await refusal(put("2", { IfNoneMatch: '"x"' }))).status).toBe(501);
  const found = await client.send(new GetObjectCommand({ Bucket, Key: "k" }));
  expect(await found.Body?.transformToString()).toBe("1");
  await put("2", { IfMatch: ETag as string });
  expect(await refusal(put("3", { IfMatch: ETag as string }))).toEqual(failed);
});

test("lets one of many concurrent creations of an object succeed", async () => {
  const { client } = await started();
  const tries = Array.from({ length: 20 }, (_, index) =>
    client.send(new PutObjectCommand({ Bucket, Key: "k", Body: String(index), IfNoneMatch: "*" })),
  );
  const outcomes = await Promise.allSettled(tries);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const outcome of outcomes)
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ name: "PreconditionFailed" });
});

test("can be set to ignore or to refuse conditions", async () => {
  const ignoring = await started({ ignoresPreconditions: true });
  const put = new PutObjectCommand({ Bucket, Key: "k", Body: "1", IfNoneMatch: "*" });
  await ignoring.client.send(put);
  await ignoring.client.send(put);
  const refusing = await started({ refusesPreconditions: true });
  expect(await refusal(refusing.client.send(put))).toEqual({ name: "NotImplemented", status: 501 });
  expect(await refusal(refusing.client.send(new HeadObjectCommand({ Bucket, Key: "k" })))).toMatchObject({
    status: 404,
  });
});

test("deletes one or many objects, without an error for missing ones", async () => {
  const { server, client } = await started();
  const keys = ["a", "b&<>\"'", "c", "d"];
  for (const Key of keys) await client.send(new PutObjectCommand({ Bucket, Key, Body: "1" }));
  await client.send(new DeleteObjectCommand({ Bucket, Key: "a" }));
  await client.send(new DeleteObjectCommand({ Bucket, Key: "a" }));
  const Objects = [{ Key: "b&<>\"'" }, { Key: "c" }, { Key: "never" }];
  const deleted = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  expect(deleted.Deleted).toEqual(Objects);
  expect([...(server.state.buckets.get(Bucket)?.objects.keys() ?? [])]).toEqual(["d"]);
  const body = "<Delete><Object><Key>d</Key></Object></Delete>";
  const unprotected = await raw(server, { method: "POST", path: "/backups?delete=", body });
  expect(unprotected).toMatchObject({ status: 400, code: "InvalidRequest" });
});

test("reports missing buckets and keys", async () => {
  const { client } = await started({ buckets: ["b", "a"] });
  expect((await client.send(new ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name)).toEqual(["a", "b"]);
  await client.send(new HeadBucketCommand({ Bucket: "a" }));
  expect(await refusal(client.send(new HeadBucketCommand({ Bucket: "c" })))).toEqual({ name: "NotFound", status: 404 });
  expect(await refusal(client.send(new GetObjectCommand({ Bucket: "c", Key: "k" })))).toEqual({
    name: "NoSuchBucket",
    status: 404,
  });
  expect(await refusal(client.send(new GetObjectCommand({ Bucket: "a", Key: "k" })))).toEqual({
    name: "NoSuchKey",
    status: 404,
  });
});

test("redirects to the region of a bucket", async () => {
  const { client } = await started({ bucketsElsewhere: { far: "eu-west-3" } });
  expect(await refusal(client.send(new GetObjectCommand({ Bucket: "far", Key: "k" })))).toEqual({
    name: "PermanentRedirect",
    status: 301,
  });
});

test("refuses parameters and headers that it does not implement", async () => {
  const { server, client } = await started();
  const put = { Bucket, Key: "k", Body: "1" };
  for (const more of [{ StorageClass: "GLACIER" }, { CacheControl: "no-store" }, { ACL: "public-read" }] as const)
    expect((await refusal(client.send(new PutObjectCommand({ ...put, ...more })))).status).toBe(501);
  expect(await raw(server, { path: "/backups/k?tagging=" })).toMatchObject({ status: 501, code: "NotImplemented" });
  expect(await raw(server, { path: "/backups?acl=" })).toMatchObject({ status: 501 });
  expect(await raw(server, { method: "PATCH", path: "/backups/k" })).toMatchObject({ status: 405 });
  expect(server.state.buckets.get(Bucket)?.objects.size).toBe(0);
});

test("refuses names that are too long, and metadata that is too large", async () => {
  const { client } = await started();
  const put = { Bucket, Key: "k".repeat(1024), Body: "1" };
  await client.send(new PutObjectCommand(put));
  expect((await refusal(client.send(new PutObjectCommand({ ...put, Key: `${put.Key}k` })))).name).toBe(
    "KeyTooLongError",
  );
  const Metadata = { n: "v".repeat(2047) };
  await client.send(new PutObjectCommand({ ...put, Metadata }));
  expect((await refusal(client.send(new PutObjectCommand({ ...put, Metadata: { nn: Metadata.n } })))).name).toBe(
    "MetadataTooLarge",
  );
});
