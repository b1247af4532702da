import { ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import type { ListObjectsV2CommandInput, S3Client } from "@aws-sdk/client-s3";
import { beforeAll, afterAll, expect, test } from "vitest";
import { S3Client as Client } from "@aws-sdk/client-s3";
import { startS3 } from "../../src/s3/server.ts";
import type { S3Server } from "../../src/s3/server.ts";
import { raw } from "./raw_request.ts";
import { refusal } from "./server_for_tests.ts";

const Bucket = "backups";
/** In the order of their bytes; UTF-16 has the last two in reverse order. */
const KEYS = ["!", "a b", "a%20b", "a+b", "a/1", "a/2/x", "a/2/y", "a0", "b&<>\"'", "é", "\ufb01", "\u{1f600}"];

let server: S3Server;
let client: S3Client;
beforeAll(async () => {
  server = await startS3();
  const { endpoint, region, credentials } = server;
  client = new Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1 });
  for (const Key of KEYS.toReversed()) await client.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
});
afterAll(async () => {
  client.destroy();
  await server.stop();
});

/** All rows of a listing, and the number of answers. */
async function listed(input: Partial<ListObjectsV2CommandInput>): Promise<{ rows: string[]; answers: number }> {
  const rows: string[] = [];
  for (let answers = 1, token: string | undefined; ; answers += 1) {
    const page = await client.send(new ListObjectsV2Command({ Bucket, ...input, ContinuationToken: token }));
    const keys = (page.Contents ?? []).map(({ Key }) => Key as string);
    const groups = (page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix as string);
    expect(page.KeyCount).toBe(keys.length + groups.length);
    rows.push(...keys, ...groups);
    token = page.NextContinuationToken;
    expect(page.IsTruncated).toBe(token !== undefined);
    if (token === undefined) return { rows, answers };
  }
}

test("lists keys in byte order, with sizes", async () => {
  expect((await listed({})).rows).toEqual(KEYS);
  const { Contents } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: "é" }));
  expect(Contents).toMatchObject([{ Key: "é", Size: 2, StorageClass: "STANDARD" }]);
});

test.each([1, 2, 5])("lists in pages of %i", async (MaxKeys) => {
  expect(await listed({ MaxKeys })).toEqual({ rows: KEYS, answers: Math.ceil(KEYS.length / MaxKeys) });
});

test("lists by prefix, start key and delimiter", async () => {
  expect((await listed({ Prefix: "a/" })).rows).toEqual(["a/1", "a/2/x", "a/2/y"]);
  expect((await listed({ StartAfter: "a/2/x" })).rows).toEqual(KEYS.slice(6));
  expect((await listed({ Prefix: "a/", Delimiter: "/" })).rows).toEqual(["a/1", "a/2/"]);
  expect((await listed({ Prefix: "a", Delimiter: "/", MaxKeys: 1 })).rows).toEqual(["a b", "a%20b", "a+b", "a/", "a0"]);
  expect((await listed({ Prefix: "nothing" })).rows).toEqual([]);
  expect(await listed({ MaxKeys: 0 })).toEqual({ rows: [], answers: 1 });
});

test("lists with URL-encoded keys", async () => {
  const { rows } = await listed({ EncodingType: "url" });
  expect(rows[1]).toBe("a+b");
  expect(rows.map((row) => decodeURIComponent(row.replaceAll("+", " ")))).toEqual(KEYS);
});

test("refuses invalid parameters", async () => {
  expect(await raw(server, { path: "/backups?list-type=1" })).toMatchObject({ status: 501 });
  for (const wrong of ["max-keys=x", "encoding-type=html", "continuation-token=x"])
    expect(await raw(server, { path: `/backups?list-type=2&${wrong}` })).toMatchObject({
      status: 400,
      code: "InvalidArgument",
    });
  expect(await refusal(client.send(new ListObjectsV2Command({ Bucket: "none" })))).toEqual({
    name: "NoSuchBucket",
    status: 404,
  });
});
