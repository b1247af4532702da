import type { Answer } from "../answer.ts";
import { headerOf } from "../body/checksums.ts";
import { header } from "../call.ts";
import type { KeyContext } from "../context.ts";
import { metadataOf } from "./metadata.ts";
import { assertSumForLock, assertUnlocked } from "./object_lock.ts";
import { writePreconditions } from "./preconditions.ts";
import { versionHeader } from "./versions.ts";

export async function putObject(context: KeyContext): Promise<Answer> {
  const { call, bucket, key } = context;
  const metadata = metadataOf(call);
  const assertConditions = writePreconditions(context);
  const received = await context.receive();
  assertConditions();
  const { checksum } = received;
  const etag = `"${received.md5}"`;
  assertSumForLock(context, received.checksum !== undefined);
  const stored = bucket.put(key, {
    pieces: [received],
    size: received.size,
    etag,
    contentType: header(call, "content-type") ?? "binary/octet-stream",
    metadata,
    modified: context.now(),
    checksum: checksum && { ...checksum, type: "FULL_OBJECT" },
  });
  const sum = checksum && { [headerOf(checksum.algorithm)]: checksum.value, "x-amz-checksum-type": "FULL_OBJECT" };
  return { status: 200, headers: { etag, ...sum, ...versionHeader(bucket, stored.versionId) } };
}

/**
 * Deletes an object; S3 answers the same if it does not exist. In a bucket with versioning, a delete marker hides the
 * object and frees nothing.
 */
export async function deleteObject(context: KeyContext): Promise<Answer> {
  const { call, bucket, key, now } = context;
  const versionId = call.query.get("versionId");
  if (versionId === undefined) {
    const marker = bucket.delete(key, now());
    return { status: 204, headers: marker === undefined ? {} : markerHeaders(marker.versionId) };
  }
  assertUnlocked(context, versionId);
  const removed = bucket.deleteVersion(key, versionId);
  const isMarker = removed !== undefined && removed.object === undefined;
  return { status: 204, headers: isMarker ? markerHeaders(versionId) : { "x-amz-version-id": versionId } };
}

function markerHeaders(versionId: string): Record<string, string> {
  return { "x-amz-delete-marker": "true", "x-amz-version-id": versionId };
}
