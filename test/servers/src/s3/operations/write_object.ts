import type { Answer } from "../answer.ts";
import { headerOf } from "../body/checksums.ts";
import { header } from "../call.ts";
import type { KeyContext } from "../context.ts";
import { metadataOf } from "./metadata.ts";
import { writePreconditions } from "./preconditions.ts";

export async function putObject(context: KeyContext): Promise<Answer> {
  const { call, bucket, key } = context;
  const metadata = metadataOf(call);
  const assertConditions = writePreconditions(context);
  const received = await context.receive();
  assertConditions();
  const { checksum } = received;
  const etag = `"${received.md5}"`;
  bucket.objects.set(key, {
    pieces: [received],
    size: received.size,
    etag,
    contentType: header(call, "content-type") ?? "binary/octet-stream",
    metadata,
    modified: context.now(),
    checksum: checksum && { ...checksum, type: "FULL_OBJECT" },
  });
  const sum = checksum && { [headerOf(checksum.algorithm)]: checksum.value, "x-amz-checksum-type": "FULL_OBJECT" };
  return { status: 200, headers: { etag, ...sum } };
}

/** Also where there is none: S3 does not say. */
export async function deleteObject({ bucket, key }: KeyContext): Promise<Answer> {
  bucket.delete(key);
  return { status: 204, headers: {} };
}
