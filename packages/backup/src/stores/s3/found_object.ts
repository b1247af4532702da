import type { HeadObjectCommandOutput, S3Client } from "@aws-sdk/client-s3";
import type { FoundObject, StoreLimits } from "../object_store.ts";
import { codeOf, statusOf } from "./thrown.ts";
import type { S3Sdk } from "./load_s3.ts";
import { tried } from "./tries.ts";

/** Where requests go, and how. */
export interface Target {
  sdk: S3Sdk;
  client: S3Client;
  bucket: string;
  /** Of all keys. */
  prefix: string;
  limits: StoreLimits;
  /** Whether the bucket has been seen. */
  bucketSeen: boolean;
}

/** Asks for an object; undefined where there is none. */
export async function foundObject(target: Target, key: string, signal?: AbortSignal): Promise<FoundObject | undefined> {
  const { sdk, client, bucket: Bucket, prefix, limits } = target;
  const head = new sdk.HeadObjectCommand({ Bucket, Key: prefix + key });
  try {
    const found = await tried((abortSignal) => client.send(head, { abortSignal }), limits, signal);
    target.bucketSeen = true;
    return objectOf(key, found);
  } catch (error) {
    if (statusOf(error) === 404) {
      await assertBucket(target, signal);
      return undefined;
    }
    throw await explained(target, key, error, signal);
  }
}

/** Without a body, an answer cannot say whether the key is missing or the bucket. */
async function assertBucket(target: Target, signal?: AbortSignal): Promise<void> {
  if (target.bucketSeen) return;
  const { sdk, client, bucket: Bucket, limits } = target;
  try {
    const head = new sdk.HeadBucketCommand({ Bucket });
    await tried((abortSignal) => client.send(head, { abortSignal }), limits, signal);
  } catch (error) {
    signal?.throwIfAborted();
    // Who may read objects need not be allowed to see the bucket.
    if (statusOf(error) === 404)
      throw Object.assign(new Error("The specified bucket does not exist"), { code: "NoSuchBucket" });
  }
  target.bucketSeen = true;
}

/** Asks for something that is answered with a body, where the answer to a HEAD says too little. */
async function explained(
  { sdk, client, bucket: Bucket, prefix, limits }: Target,
  key: string,
  error: unknown,
  signal?: AbortSignal,
): Promise<unknown> {
  const status = statusOf(error);
  if (status === undefined || status >= 500 || codeOf(error) === "NoSuchBucket") return error;
  try {
    const list = new sdk.ListObjectsV2Command({ Bucket, Prefix: prefix + key, MaxKeys: 1 });
    await tried((abortSignal) => client.send(list, { abortSignal }), limits, signal);
    return error;
  } catch (explanation) {
    signal?.throwIfAborted();
    return explanation;
  }
}

function objectOf(key: string, { ContentLength, Metadata, ETag }: HeadObjectCommandOutput): FoundObject {
  return { key, size: ContentLength ?? 0, metadata: Metadata ?? {}, revision: ETag ?? "" };
}
