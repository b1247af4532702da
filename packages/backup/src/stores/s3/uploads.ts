import type { CompletedPart } from "@aws-sdk/client-s3";
import type { Upload } from "../object_store.ts";
import { md5 } from "../remote/checksums.ts";
import { RemoteFailure } from "../remote/failures.ts";
import { readPart, sendParts } from "../remote/parts.ts";
import type { Change } from "../remote/requests.ts";
import { type Bucket, findObject } from "./objects.ts";

/** S3 takes no more parts. */
const MOST_PARTS = 10_000;

/** Longest wait for the store to forget an upload, and where the caller does not want to wait; in milliseconds. */
const LONGEST_ABORT_MS = 3000;
const LONGEST_ABORT_OF_STOPPED_MS = 1000;

interface Condition {
  IfNoneMatch?: "*";
}

/** Stores an object in one request. */
export async function putObject(target: Bucket, upload: Upload, change: Change, signal?: AbortSignal): Promise<void> {
  const { sdk, client, bucket, prefix, requests } = target;
  const { key, size, contentType, metadata } = upload;
  const where = { Bucket: bucket, Key: prefix + key, ContentType: contentType, Metadata: { ...metadata } };
  await underCondition(target, key, signal, (condition) =>
    requests.send(
      async (abortSignal) => {
        const body = await bodyOf(target, upload, 0, Buffer.allocUnsafe(size));
        await client.send(new sdk.PutObjectCommand({ ...where, ...condition, ...body }), { abortSignal });
      },
      signal,
      { change },
    ),
  );
  upload.sent?.(size);
}

/** Stores an object in parts, which are invisible before the last step. */
export async function putObjectInParts(
  target: Bucket,
  upload: Upload,
  change: Change,
  signal?: AbortSignal,
): Promise<void> {
  const { key } = upload;
  const id = await begin(target, upload, signal);
  try {
    const parts = await sendAll(target, upload, id, signal);
    // That took its time; and some stores keep the condition of a single request, but not that of this last step.
    if ((await findObject(target, key, signal)) !== undefined) throw new RemoteFailure("exists", "");
    await underCondition(target, key, signal, (condition) =>
      complete(target, key, id, parts, condition, change, signal),
    );
  } catch (error) {
    await abort(target, key, id, signal);
    throw error;
  }
}

/** Stores under the condition that there is no object; a store without conditions is asked before. */
async function underCondition(
  target: Bucket,
  key: string,
  signal: AbortSignal | undefined,
  store: (condition: Condition) => Promise<void>,
): Promise<void> {
  try {
    return await store({ IfNoneMatch: "*" });
  } catch (error) {
    if (!(error instanceof RemoteFailure) || error.kind !== "unsupported") throw error;
  }
  // Another writer may be faster between this and the request.
  if ((await findObject(target, key, signal)) !== undefined) throw new RemoteFailure("exists", "");
  await store({});
}

/**
 * Reads a part of an upload. The SDK signs the SHA-256 of a body that is a Buffer, and S3 verifies it; where the SDK adds no
 * sum of its own, an MD5 goes with it, for stores that look only at that.
 */
async function bodyOf({ client }: Bucket, upload: Upload, start: number, into: Buffer) {
  const Body = await readPart(upload, start, into);
  const sums = await client.config.requestChecksumCalculation();
  if (sums === "WHEN_SUPPORTED") return { Body };
  return { Body, ContentMD5: md5(Body).toString("base64") };
}

async function begin(target: Bucket, { key, contentType, metadata }: Upload, signal?: AbortSignal): Promise<string> {
  const { sdk, client, bucket, prefix, requests } = target;
  const sums = await client.config.requestChecksumCalculation();
  const create = new sdk.CreateMultipartUploadCommand({
    Bucket: bucket,
    Key: prefix + key,
    ContentType: contentType,
    Metadata: { ...metadata },
    // The sum that the SDK gives each part.
    ...(sums === "WHEN_SUPPORTED" ? { ChecksumAlgorithm: "CRC32" } : {}),
  });
  const { UploadId } = await requests.send((abortSignal) => client.send(create, { abortSignal }), signal);
  if (UploadId === undefined) throw new RemoteFailure("invalidAnswer", "an upload in parts without an id");
  return UploadId;
}

async function sendAll(target: Bucket, upload: Upload, id: string, signal?: AbortSignal): Promise<CompletedPart[]> {
  const { sdk, client, bucket, prefix, requests } = target;
  const partSize = Math.max(requests.limits.partSize, Math.ceil(upload.size / MOST_PARTS));
  return sendParts(upload, partSize, signal, async ({ index, start, length }, buffers, partSignal) => {
    const which = { Bucket: bucket, Key: prefix + upload.key, UploadId: id, PartNumber: index + 1 };
    const { ETag, ChecksumCRC32 } = await requests.send(
      (abortSignal) =>
        buffers.lend(length, async (buffer) => {
          const body = await bodyOf(target, upload, start, buffer);
          return client.send(new sdk.UploadPartCommand({ ...which, ...body }), { abortSignal });
        }),
      partSignal,
    );
    return {
      PartNumber: which.PartNumber,
      ...(ETag === undefined ? {} : { ETag }),
      ...(ChecksumCRC32 === undefined ? {} : { ChecksumCRC32 }),
    };
  });
}

async function complete(
  { sdk, client, bucket, prefix, requests }: Bucket,
  key: string,
  id: string,
  parts: CompletedPart[],
  condition: Condition,
  change: Change,
  signal: AbortSignal | undefined,
): Promise<void> {
  const where = { Bucket: bucket, Key: prefix + key, UploadId: id };
  const command = new sdk.CompleteMultipartUploadCommand({ ...where, MultipartUpload: { Parts: parts }, ...condition });
  // After a conflict S3 wants all parts again.
  const retries = ({ passes, kind }: RemoteFailure): boolean => passes && kind !== "conflict";
  try {
    await requests.send((abortSignal) => client.send(command, { abortSignal }), signal, { change, retries });
  } catch (error) {
    throw error instanceof RemoteFailure && error.kind === "conflict" ? error.restarting() : error;
  }
}

/**
 * Lets the store forget the parts, which are invisible, but paid for by the owner of the bucket. Where that fails, they stay until
 * the bucket's own rule for unfinished uploads removes them: the error that led here matters more.
 */
async function abort(
  { sdk, client, bucket, prefix, requests }: Bucket,
  key: string,
  id: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const command = new sdk.AbortMultipartUploadCommand({ Bucket: bucket, Key: prefix + key, UploadId: id });
  const stopped = signal?.aborted === true;
  const longest = stopped ? LONGEST_ABORT_OF_STOPPED_MS : LONGEST_ABORT_MS;
  const { timeoutMs } = requests.limits;
  const brief = requests.limitedTo({ tries: stopped ? 1 : 2, timeoutMs: Math.min(timeoutMs, longest) });
  await brief.send((abortSignal) => client.send(command, { abortSignal }), undefined).catch(() => undefined);
}
