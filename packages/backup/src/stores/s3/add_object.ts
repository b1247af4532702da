import type { FoundObject, Upload } from "../object_store.ts";
import { codeOf, statusOf } from "./thrown.ts";
import { partOf } from "./bodies.ts";
import { foundObject } from "./found_object.ts";
import type { Target } from "./found_object.ts";
import { tried } from "./tries.ts";

export type Added = "added" | "exists";

/** Adds an object of one part. */
export async function putObject(target: Target, upload: Upload, signal?: AbortSignal): Promise<Added> {
  const { sdk, client, bucket: Bucket, prefix, limits } = target;
  const { key, size, contentType: ContentType, metadata } = upload;
  return underCondition(target, upload, signal, async (condition) => {
    await tried(
      async (abortSignal) => {
        const part = await partOf(client, upload, 0, Buffer.allocUnsafe(size));
        const put = { Bucket, Key: prefix + key, ContentType, Metadata: { ...metadata }, ...condition, ...part };
        await client.send(new sdk.PutObjectCommand(put), { abortSignal });
      },
      limits,
      signal,
    );
    upload.sent?.(size);
  });
}

/**
 * Stores something if there is nothing of its key yet.
 *
 * @param store Sends the request, with the condition that is given to it.
 */
export async function underCondition(
  target: Target,
  upload: Upload,
  signal: AbortSignal | undefined,
  store: (condition: { IfNoneMatch?: "*" }) => Promise<void>,
): Promise<Added> {
  for (let tries = 1; ; tries += 1) {
    try {
      await store({ IfNoneMatch: "*" });
      return "added";
    } catch (error) {
      if (statusOf(error) === 501 || codeOf(error) === "NotImplemented") break;
      if (statusOf(error) !== 412) throw error;
      const found = await foundObject(target, upload.key, signal);
      if (found !== undefined) return isSame(found, upload) ? "added" : "exists";
      // Somebody removed it in between.
      if (tries >= target.limits.tries) throw error;
    }
  }
  // A store without conditions: somebody may be faster between the look and the request.
  const found = await foundObject(target, upload.key, signal);
  if (found !== undefined) return isSame(found, upload) ? "added" : "exists";
  await store({});
  return "added";
}

/** Whether the object that is there is the one of this upload: a try may have succeeded whose answer was lost. */
export async function isOurs(target: Target, upload: Upload, signal?: AbortSignal): Promise<boolean> {
  const found = await foundObject(target, upload.key, signal);
  return found !== undefined && isSame(found, upload);
}

function isSame(found: FoundObject, upload: Upload): boolean {
  const { upload: id } = upload.metadata;
  return id !== undefined && found.metadata["upload"] === id;
}
