import { codeOf } from "./thrown.ts";
import type { Target } from "./found_object.ts";
import { tried } from "./tries.ts";

export async function removeObject(target: Target, key: string, signal?: AbortSignal): Promise<void> {
  const { sdk, client, bucket: Bucket, prefix, limits } = target;
  const command = new sdk.DeleteObjectCommand({ Bucket, Key: prefix + key });
  try {
    await tried((abortSignal) => client.send(command, { abortSignal }), limits, signal);
  } catch (error) {
    // S3 does not say so, others do.
    if (codeOf(error) !== "NoSuchKey") throw error;
  }
}
