import type { Removal } from "../object_store.ts";
import type { Target } from "./found_object.ts";
import { cleanCause } from "./s3_cause.ts";
import { codeOf, lastOf, statusOf, type Thrown } from "./thrown.ts";
import { tried } from "./tries.ts";
import { hasOlderVersions } from "./versioning.ts";

/**
 * Removes an object. In a bucket with versioning that writes a delete marker, and nothing is freed: versions are not deleted, as
 * versioning is there to undo removals, those of perdura too.
 */
export async function removeObject(
  target: Target,
  key: string,
  secrets: readonly string[],
  signal?: AbortSignal,
): Promise<Removal> {
  const { sdk, client, bucket: Bucket, prefix, limits } = target;
  const command = new sdk.DeleteObjectCommand({ Bucket, Key: prefix + key });
  try {
    const answer = await tried((abortSignal) => client.send(command, { abortSignal }), limits, signal);
    if (answer.DeleteMarker !== true) return "freed";
    if (answer.VersionId !== undefined && answer.VersionId !== "null") return "retained";
    // Suspended versioning frees an object that came without it, and keeps one that came before.
    const older = await hasOlderVersions(target, key, signal);
    return older === undefined ? "unknown" : older ? "retained" : "freed";
  } catch (error) {
    // S3 does not say so, others do.
    if (codeOf(error) === "NoSuchKey") return "freed";
    if (!isLock(error)) throw error;
    const { code, message } = cleanCause(lastOf(error), secrets);
    return { lockedBy: `${code ?? "refused"}: ${message.replace(/\.$/, "")}` };
  }
}

/** Amazon's code for it is that of all refusals; others have one of their own, or say it in words as well. */
function isLock(error: unknown): boolean {
  if (codeOf(error)?.startsWith("ObjectLocked") === true || statusOf(error) === 423) return true;
  const { message } = lastOf(error) as Thrown;
  const isRefusal = [400, 403, 405, 409].includes(statusOf(error) ?? 0);
  return isRefusal && /object.?lock|\bworm\b|retention|retain until|legal.?hold|immutab/i.test(String(message));
}
