import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectLegalHoldCommand,
} from "@aws-sdk/client-s3";
import type { S3Client } from "@aws-sdk/client-s3";
import { expect, test } from "vitest";
import { raw } from "./raw_request.ts";
import { refusal, started } from "./server_for_tests.ts";

const Bucket = "backups";

const put = (client: S3Client, Key: string, Body: string) => client.send(new PutObjectCommand({ Bucket, Key, Body }));

/** Ids of all versions, `-` before a delete marker, in the order of the listing; the latest of its key with `*`. */
async function versionsIn(client: S3Client, more = {}): Promise<string[]> {
  const page = await client.send(new ListObjectVersionsCommand({ Bucket, ...more }));
  const rows = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? []).map((each) => ({ ...each, Size: -1 }))];
  return rows.map(({ Key, Size, IsLatest }) => `${Key} ${Size}${IsLatest === true ? "*" : ""}`).sort();
}

test("with versioning, a delete hides an object, and only deleting its version removes it", async () => {
  const { client } = await started({ versioning: "Enabled" });
  expect((await client.send(new GetBucketVersioningCommand({ Bucket }))).Status).toBe("Enabled");
  const { VersionId: first } = await put(client, "k", "1");
  const { VersionId: second } = await put(client, "k", "22");
  expect(first).not.toBe(second);
  expect(await versionsIn(client)).toEqual(["k 1", "k 2*"]);
  const marker = await client.send(new DeleteObjectCommand({ Bucket, Key: "k" }));
  expect(marker).toMatchObject({ DeleteMarker: true, VersionId: expect.stringMatching(/^[\w-]{32}$/) });
  expect(await versionsIn(client)).toEqual(["k -1*", "k 1", "k 2"]);
  expect((await client.send(new ListObjectsV2Command({ Bucket }))).Contents).toBeUndefined();
  expect(await refusal(client.send(new GetObjectCommand({ Bucket, Key: "k" })))).toEqual({
    name: "NoSuchKey",
    status: 404,
  });
  const old = await client.send(new GetObjectCommand({ Bucket, Key: "k", VersionId: first }));
  expect([await old.Body?.transformToString(), old.VersionId]).toEqual(["1", first]);
  const markerId = { Bucket, Key: "k", VersionId: marker.VersionId };
  expect(await refusal(client.send(new GetObjectCommand(markerId)))).toMatchObject({ status: 405 });
  expect(await client.send(new DeleteObjectCommand(markerId))).toMatchObject({ DeleteMarker: true });
  expect((await client.send(new HeadObjectCommand({ Bucket, Key: "k" }))).VersionId).toBe(second);
  const removed = await client.send(new DeleteObjectCommand({ Bucket, Key: "k", VersionId: second }));
  expect([removed.DeleteMarker, removed.VersionId]).toEqual([undefined, second]);
  expect(await versionsIn(client)).toEqual(["k 1*"]);
  // A key that never existed gets a marker as well, and a missing version is not an error.
  expect((await client.send(new DeleteObjectCommand({ Bucket, Key: "never" }))).DeleteMarker).toBe(true);
  await client.send(new DeleteObjectCommand({ Bucket, Key: "k", VersionId: second }));
  const Objects = [{ Key: "k" }];
  const { Deleted } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  expect(Deleted).toMatchObject([{ Key: "k", DeleteMarker: true }]);
  expect(await versionsIn(client)).toEqual(["k -1*", "k 1", "never -1*"]);
});

test("without versioning, no answer has a version; with suspended versioning, only the version null is deleted", async () => {
  const { client } = await started();
  const Status = async () => (await client.send(new GetBucketVersioningCommand({ Bucket }))).Status;
  expect(await Status()).toBeUndefined();
  expect((await put(client, "k", "1")).VersionId).toBeUndefined();
  expect((await client.send(new DeleteObjectCommand({ Bucket, Key: "k" }))).DeleteMarker).toBeUndefined();
  await put(client, "before", "1");
  for (const status of ["Enabled", "Suspended"] as const) {
    const VersioningConfiguration = { Status: status };
    await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
    expect(await Status()).toBe(status);
    if (status === "Enabled") await put(client, "during", "22");
  }
  await put(client, "after", "333");
  for (const Key of ["before", "during", "after"])
    expect(await client.send(new DeleteObjectCommand({ Bucket, Key }))).toMatchObject({
      DeleteMarker: true,
      VersionId: "null",
    });
  expect(await versionsIn(client)).toEqual(["after -1*", "before -1*", "during -1*", "during 2"]);
  await put(client, "during", "4444");
  expect(await versionsIn(client, { Prefix: "during" })).toEqual(["during 2", "during 4*"]);
});

test("lists versions in pages, by key and newest first", async () => {
  const { client } = await started({ versioning: "Enabled" });
  for (const key of ["a", "b", "a", "c"]) await put(client, key, key);
  await client.send(new DeleteObjectCommand({ Bucket, Key: "b" }));
  const seen: string[] = [];
  let markers: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } = {};
  for (let more = true; more;) {
    const page = await client.send(new ListObjectVersionsCommand({ Bucket, MaxKeys: 2, ...markers }));
    seen.push(...[...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].map(({ Key }) => Key as string));
    more = page.IsTruncated === true;
    markers = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
  }
  expect(seen.join("")).toBe("aabbc");
});

test("with Object Lock, a delete marker is always written, and a version is deleted only without retention and hold", async () => {
  const { server, client } = await started({ objectLock: { mode: "GOVERNANCE", days: 1 } });
  const { VersionId } = await put(client, "k", "1");
  const version = { Bucket, Key: "k", VersionId };
  expect(await client.send(new HeadObjectCommand(version))).toMatchObject({ ObjectLockMode: "GOVERNANCE" });
  expect((await client.send(new DeleteObjectCommand({ Bucket, Key: "k" }))).DeleteMarker).toBe(true);
  const locked = { name: "AccessDenied", status: 403 };
  expect(await refusal(client.send(new DeleteObjectCommand(version)))).toEqual(locked);
  const hold = (Status: "ON" | "OFF") =>
    client.send(new PutObjectLegalHoldCommand({ ...version, LegalHold: { Status } }));
  await hold("ON");
  const BypassGovernanceRetention = true;
  expect(await refusal(client.send(new DeleteObjectCommand({ ...version, BypassGovernanceRetention })))).toEqual(
    locked,
  );
  await hold("OFF");
  await client.send(new DeleteObjectCommand({ ...version, BypassGovernanceRetention }));
  expect(await versionsIn(client)).toEqual(["k -1*"]);
  const suspend = new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: "Suspended" } });
  expect(await refusal(client.send(suspend))).toEqual({ name: "InvalidBucketState", status: 409 });
  expect(await raw(server, { method: "PUT", path: "/backups/k", body: "1" })).toMatchObject({
    status: 400,
    code: "InvalidRequest",
  });
});

test("compliance mode ends only with its period, and a bucket without Object Lock refuses holds", async () => {
  const { server, client } = await started({ objectLock: { mode: "COMPLIANCE", days: 1 } });
  const { VersionId } = await put(client, "k", "1");
  const bypassing = new DeleteObjectCommand({ Bucket, Key: "k", VersionId, BypassGovernanceRetention: true });
  expect((await refusal(client.send(bypassing))).status).toBe(403);
  const day = 86_400_000;
  server.clockOffset = day + 1000;
  await client.send(new GetBucketVersioningCommand({ Bucket })).catch(() => undefined);
  await client.send(new DeleteObjectCommand({ Bucket, Key: "k", VersionId }));
  const { client: plain } = await started({ versioning: "Enabled" });
  await put(plain, "k", "1");
  const hold = new PutObjectLegalHoldCommand({ Bucket, Key: "k", LegalHold: { Status: "ON" } });
  expect(await refusal(plain.send(hold))).toEqual({ name: "InvalidRequest", status: 400 });
});
