import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import type { CompletedPart, CreateMultipartUploadCommandInput, S3Client } from "@aws-sdk/client-s3";
import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { refusal, started } from "./server_for_tests.ts";

const where = { Bucket: "backups", Key: "k" };
const MIB = 2 ** 20;
const PLAIN = { requestChecksumCalculation: "WHEN_REQUIRED", responseChecksumValidation: "WHEN_REQUIRED" } as const;

async function begun(client: S3Client, options: Partial<CreateMultipartUploadCommandInput> = {}) {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...where, ...options }));
  const part = async (PartNumber: number, Body: Buffer): Promise<CompletedPart> => {
    const { ETag, ChecksumCRC32 } = await client.send(new UploadPartCommand({ ...where, UploadId, PartNumber, Body }));
    return { PartNumber, ETag, ...(ChecksumCRC32 === undefined ? {} : { ChecksumCRC32 }) };
  };
  const complete = (Parts: CompletedPart[], more: { IfNoneMatch?: string } = {}) =>
    client.send(new CompleteMultipartUploadCommand({ ...where, UploadId, MultipartUpload: { Parts }, ...more }));
  return { UploadId, part, complete };
}

test.each([
  ["with checksums of the SDK", {}],
  ["without checksums", PLAIN],
])("assembles parts into one object, %s", async (_, config) => {
  const { client } = await started({}, config);
  const data = randomBytes(5 * MIB + 100);
  const { part, complete } = await begun(client, {
    Metadata: { upload: "u" },
    ContentType: "text/x",
    ...(config === PLAIN ? {} : { ChecksumAlgorithm: "CRC32" }),
  });
  const last = await part(7, data.subarray(5 * MIB));
  await part(2, randomBytes(10));
  const first = await part(2, data.subarray(0, 5 * MIB));
  const none = await client.send(new ListObjectsV2Command({ Bucket: where.Bucket }));
  expect(none.Contents).toBeUndefined();
  const { ETag } = await complete([first, last]);
  const sums = [data.subarray(0, 5 * MIB), data.subarray(5 * MIB)].map((each) =>
    createHash("md5").update(each).digest(),
  );
  expect(ETag).toBe(`"${createHash("md5").update(Buffer.concat(sums)).digest("hex")}-2"`);
  const found = await client.send(new GetObjectCommand({ ...where, ChecksumMode: "ENABLED" }));
  expect(data.equals(Buffer.from((await found.Body?.transformToByteArray()) ?? []))).toBe(true);
  expect(found).toMatchObject({ Metadata: { upload: "u" }, ContentType: "text/x", ETag });
  expect(found.ChecksumType).toBe(config === PLAIN ? undefined : "COMPOSITE");
  // Across both parts, and within the second one.
  for (const start of [5 * MIB - 3, 5 * MIB + 10]) {
    const range = await client.send(new GetObjectCommand({ ...where, Range: `bytes=${start}-${start + 5}` }));
    expect(Buffer.from((await range.Body?.transformToByteArray()) ?? [])).toEqual(data.subarray(start, start + 6));
  }
  expect(await refusal(complete([first, last]))).toEqual({ name: "NoSuchUpload", status: 404 });
});

test("refuses parts that are too small, unknown, changed or out of order", async () => {
  const { client } = await started({}, PLAIN);
  const { part, complete } = await begun(client);
  const [one, two] = [await part(1, Buffer.alloc(10)), await part(2, Buffer.alloc(10))];
  for (const [parts, name] of [
    [[one, two], "EntityTooSmall"],
    [[two, one], "InvalidPartOrder"],
    [[one, one], "InvalidPartOrder"],
    [[{ ...one, ETag: '"x"' }], "InvalidPart"],
    [[{ ...one, PartNumber: 3 }], "InvalidPart"],
    [[], "MalformedXML"],
  ] as const)
    expect(await refusal(complete([...parts]))).toEqual({ name, status: 400 });
  await expect(part(0, Buffer.alloc(1))).rejects.toMatchObject({ name: "InvalidArgument" });
  await expect(part(10_001, Buffer.alloc(1))).rejects.toMatchObject({ name: "InvalidArgument" });
  await complete([one]);
});

test("requires checksums for each part and at the end if the upload was created with an algorithm", async () => {
  const { client } = await started({}, PLAIN);
  const { part, complete } = await begun(client, { ChecksumAlgorithm: "CRC32" });
  expect(await refusal(part(1, Buffer.from("x")))).toEqual({ name: "InvalidRequest", status: 400 });
  const { client: summing } = await started();
  const other = await begun(summing, { ChecksumAlgorithm: "CRC32" });
  const one = await other.part(1, Buffer.from("x"));
  expect(await refusal(other.complete([{ PartNumber: 1, ETag: one.ETag }]))).toEqual({
    name: "InvalidRequest",
    status: 400,
  });
  expect((await refusal(other.complete([{ ...one, ChecksumCRC32: "AAAAAA==" }]))).name).toBe("InvalidPart");
  await other.complete([one]);
  await expect(complete([])).rejects.toThrow();
});

test("completes under a condition, and reports a concurrent deletion as a conflict", async () => {
  const { server, client } = await started({}, PLAIN);
  const { part, complete } = await begun(client);
  const one = await part(1, Buffer.from("1"));
  await client.send(new PutObjectCommand({ ...where, Body: "there" }));
  expect(await refusal(complete([one], { IfNoneMatch: "*" }))).toEqual({ name: "PreconditionFailed", status: 412 });
  // Its headers have arrived, its body not yet: then another client deletes the object.
  const put = client.send(new PutObjectCommand({ ...where, Body: Buffer.alloc(20 * MIB), IfNoneMatch: "*" }));
  const bucket = server.state.buckets.get(where.Bucket);
  await expect.poll(() => server.faults.requests.filter((name) => name === "PutObject").length).toBe(2);
  bucket?.delete(where.Key);
  expect(await refusal(put)).toEqual({ name: "ConditionalRequestConflict", status: 409 });
  await client.send(new DeleteObjectCommand(where));
  await complete([one], { IfNoneMatch: "*" });
});

test("lists uploads and their parts until they are aborted", async () => {
  const { client } = await started({}, PLAIN);
  const { UploadId, part } = await begun(client);
  const second = await begun(client);
  for (const number of [3, 1, 2]) await part(number, Buffer.alloc(number));
  const uploads = (more = {}) => client.send(new ListMultipartUploadsCommand({ Bucket: where.Bucket, ...more }));
  expect((await uploads()).Uploads?.map((each) => each.UploadId)).toEqual([UploadId, second.UploadId]);
  const page = await uploads({ MaxUploads: 1 });
  expect(page.IsTruncated).toBe(true);
  const rest = await uploads({ KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker });
  expect(rest.Uploads?.map((each) => each.UploadId)).toEqual([second.UploadId]);
  expect((await uploads({ Prefix: "other" })).Uploads).toBeUndefined();
  const parts = await client.send(new ListPartsCommand({ ...where, UploadId, MaxParts: 2 }));
  expect(parts.Parts?.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([
    [1, 1],
    [2, 2],
  ]);
  expect(parts).toMatchObject({ IsTruncated: true, NextPartNumberMarker: "2" });
  await client.send(new AbortMultipartUploadCommand({ ...where, UploadId }));
  const gone = { name: "NoSuchUpload", status: 404 };
  expect(await refusal(client.send(new AbortMultipartUploadCommand({ ...where, UploadId })))).toEqual(gone);
  expect(await refusal(part(4, Buffer.alloc(1)))).toEqual(gone);
  expect((await uploads()).Uploads?.map((each) => each.UploadId)).toEqual([second.UploadId]);
});
