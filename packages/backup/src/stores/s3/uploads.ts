import type { CompletedPart } from "@aws-sdk/client-s3";
import type { Upload } from "../object_store.ts";
import { md5 } from "../remote/checksums.ts";
import { RemoteFailure } from "../remote/failures.ts";
import { readPart, sendParts } from "../remote/parts.ts";
import type { Change } from "../remote/requests.ts";
import { type Bucket, findObject } from "./objects.ts";

/** Maximum number of parts on S3. */
const MOST_PARTS = 10_000;

/** Maximum time to abort an upload, and that for a caller who has aborted; in milliseconds. */
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
    // The parts took time; and some stores support the condition in a single request, but not in this last step.
    if ((await findObject(target, key, signal)) !== undefined) throw new RemoteFailure("exists", "");
    await underCondition(target, key, signal, (condition) =>
      complete(target, key, id, parts, condition, change, signal),
    );
  } catch (error) {
    await abort(target, key, id, signal);
    throw error;
  }
}

/** Stores under the condition that no object exists; a store without conditions is queried before. */
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
  // Another writer may create the object between this query and the request.
  if ((await findObject(target, key, signal)) !== undefined) throw new RemoteFailure("exists", "");
  await store({});
}

/**
 * Reads a part of an upload. The SDK signs the SHA-256 of a Buffer body, and S3 verifies it; if the SDK adds no
 * checksum, an MD5 is sent as well, for stores that check only that.
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
    // The checksum that the SDK adds to each part.
    ...(sums === "WHEN_SUPPORTED" ? { ChecksumAlgorithm: "CRC32" } : {}),
  });
  const { UploadId } = await requests.send((abortSignal) => client.send(create, { abortSignal }), signal);
  if (UploadId === undefined) throw new RemoteFailure("invalidAnswer", "a multipart upload without an id");
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
  // After a conflict S3 needs all parts again.
  const retries = ({ passes, kind }: RemoteFailure): boolean => passes && kind !== "conflict";
  try {
    await requests.send((abortSignal) => client.send(command, { abortSignal }), signal, { change, retries });
  } catch (error) {
    throw error instanceof RemoteFailure && error.kind === "conflict" ? error.restarting() : error;
  }
}

/**
 * Removes the parts, which are invisible, but charged to the owner of the bucket. If that fails, they stay until the
 * bucket's rule for unfinished uploads removes them; the failure is ignored, because the error that led here matters
 * more.
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
