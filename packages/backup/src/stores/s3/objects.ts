import type { GetObjectCommandOutput } from "@aws-sdk/client-s3";
import type { Readable } from "node:stream";
import type { FoundObject } from "../object_store.ts";
import { RemoteFailure } from "../remote/failures.ts";
import { fill } from "../remote/parts.ts";
import type { Requests } from "../remote/requests.ts";
import type { S3Sdk, Sender } from "./client.ts";

/** A bucket and its requests. */
export interface Bucket {
  sdk: S3Sdk;
  client: Sender;
  bucket: string;
  /** Prefix of all keys. */
  prefix: string;
  requests: Requests;
  /** True once the bucket is known to exist. */
  isKnown: boolean;
}

/** Finds an object; undefined if it does not exist. */
export async function findObject(target: Bucket, key: string, signal?: AbortSignal): Promise<FoundObject | undefined> {
  const { sdk, client, bucket, prefix, requests } = target;
  const head = new sdk.HeadObjectCommand({ Bucket: bucket, Key: prefix + key });
  try {
    const {
      ContentLength = 0,
      Metadata = {},
      ETag = "",
    } = await requests.send((abortSignal) => client.send(head, { abortSignal }), signal);
    target.isKnown = true;
    return { key, size: ContentLength, metadata: Metadata, revision: ETag };
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    if (error.status !== 404) throw await explained(target, key, error, signal);
    await assertBucket(target, signal);
    return undefined;
  }
}

/** An answer without a body does not show whether the key or the bucket is missing. */
async function assertBucket(target: Bucket, signal?: AbortSignal): Promise<void> {
  if (target.isKnown) return;
  const { sdk, client, bucket, requests } = target;
  try {
    const head = new sdk.HeadBucketCommand({ Bucket: bucket });
    await requests.send((abortSignal) => client.send(head, { abortSignal }), signal);
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    // Credentials for objects may not be permitted to see the bucket.
    if (error.status === 404) throw new RemoteFailure("missingBucket", "404 NoSuchBucket", { code: "NoSuchBucket" });
  }
  target.isKnown = true;
}

/** Sends a request whose answer has a body, because the answer to a HEAD contains too little. */
async function explained(
  { sdk, client, bucket, prefix, requests }: Bucket,
  key: string,
  failure: RemoteFailure,
  signal?: AbortSignal,
): Promise<RemoteFailure> {
  if (failure.status === undefined || failure.status >= 500 || failure.status === 429) return failure;
  try {
    const list = new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix + key, MaxKeys: 1 });
    await requests.send((abortSignal) => client.send(list, { abortSignal }), signal);
    return failure;
  } catch (explanation) {
    if (explanation instanceof RemoteFailure) return explanation;
    throw explanation;
  }
}

/** Reads bytes of exactly the object that was found. */
export async function readObject(
  { sdk, client, bucket, prefix, requests }: Bucket,
  { key, size, revision }: FoundObject,
  start: number,
  into: Buffer,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { length } = into;
  const get = new sdk.GetObjectCommand({
    Bucket: bucket,
    Key: prefix + key,
    ...(revision === "" ? {} : { IfMatch: revision }),
    // The client asks for a checksum where its settings allow it: some stores of other vendors refuse that header.
    ...(length === size ? {} : { Range: `bytes=${start}-${start + length - 1}` }),
  });
  try {
    await requests.send(async (abortSignal) => {
      const answer = await client.send(get, { abortSignal });
      if (answer.ETag !== undefined && revision !== "" && answer.ETag !== revision)
        throw new RemoteFailure("changed", "its ETag changed");
      assertRange(answer, start, length, size);
      await fill(into, answer.Body as Readable, abortSignal);
    }, signal);
  } catch (error) {
    const isGone =
      error instanceof RemoteFailure && (error.kind === "missingObject" || [412, 416].includes(error.status ?? 0));
    throw isGone ? new RemoteFailure("changed", error.message, error) : error;
  }
}

/** A store that ignores ranges would return the beginning of an object in place of its middle. */
function assertRange(
  { ContentRange, ContentLength }: GetObjectCommandOutput,
  start: number,
  length: number,
  size: number,
): void {
  const range = `bytes ${start}-${start + length - 1}`;
  if (length < size && ContentRange !== `${range}/${size}`)
    throw new RemoteFailure("invalidAnswer", `requested ${range}, received ${ContentRange ?? "the whole object"}`);
  if (ContentLength !== undefined && ContentLength !== length)
    throw new RemoteFailure("invalidAnswer", `requested ${length} bytes, received ${ContentLength}`);
}

/** Lists keys with the prefix, page by page, in S3's order: that of their bytes. */
export async function* listObjects(
  { sdk, client, bucket, prefix, requests }: Bucket,
  beginning: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ key: string; size: number }, void> {
  let token: string | undefined;
  do {
    const list = new sdk.ListObjectsV2Command({
      Bucket: bucket,
      Prefix: prefix + beginning,
      // Foreign keys may contain characters that XML cannot express.
      EncodingType: "url",
      ...(token === undefined ? {} : { ContinuationToken: token }),
    });
    const page = await requests.send((abortSignal) => client.send(list, { abortSignal }), signal);
    for (const { Key = "", Size = 0 } of page.Contents ?? []) {
      const key = page.EncodingType === "url" ? decoded(Key) : Key;
      if (!key.startsWith(prefix + beginning))
        throw new RemoteFailure("invalidAnswer", `${key} is listed, which does not begin with ${prefix}${beginning}`);
      yield { key: key.slice(prefix.length), size: Size };
    }
    const next = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    if (page.IsTruncated === true && (next === undefined || next === token))
      throw new RemoteFailure("invalidAnswer", "the list is incomplete, but has no new continuation token");
    token = next;
  } while (token !== undefined);
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll("+", "%20"));
  } catch {
    // Bytes that are not UTF-8, so the key is foreign.
    return key;
  }
}
