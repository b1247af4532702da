import { randomBytes } from "node:crypto";
import type { Answer } from "../answer.ts";
import { xmlAnswer } from "../answer.ts";
import { algorithmOf, headerOf } from "../body/checksums.ts";
import { header } from "../call.ts";
import type { KeyContext } from "../context.ts";
import { invalidArgument, notImplemented, S3Error } from "../s3_error.ts";
import { document, element } from "../xml.ts";
import { metadataOf } from "./metadata.ts";
import { assertSumForLock } from "./object_lock.ts";

const MOST_PARTS = 10_000;

export async function createMultipartUpload({ call, bucket, key, now }: KeyContext): Promise<Answer> {
  const named = header(call, "x-amz-checksum-algorithm");
  const type = header(call, "x-amz-checksum-type");
  if (type !== undefined && type !== "COMPOSITE") throw notImplemented(`x-amz-checksum-type: ${type}`);
  const algorithm = named === undefined ? undefined : algorithmOf(named);
  const id = randomBytes(24).toString("base64url");
  bucket.uploads.set(id, {
    id,
    key,
    contentType: header(call, "content-type") ?? "binary/octet-stream",
    metadata: metadataOf(call),
    initiated: now(),
    algorithm,
    parts: new Map(),
  });
  const answer = xmlAnswer(
    document("InitiateMultipartUploadResult", [
      element("Bucket", bucket.name),
      element("Key", key),
      element("UploadId", id),
    ]),
  );
  if (algorithm !== undefined)
    answer.headers = { ...answer.headers, "x-amz-checksum-algorithm": algorithm, "x-amz-checksum-type": "COMPOSITE" };
  return answer;
}

export async function uploadPart(context: KeyContext): Promise<Answer> {
  const { call, bucket, key } = context;
  const number = call.query.get("partNumber") ?? "";
  if (!/^\d{1,6}$/.test(number) || Number(number) < 1 || Number(number) > MOST_PARTS)
    throw invalidArgument("partNumber", number, "Part number must be an integer between 1 and 10000, inclusive");
  const id = call.query.get("uploadId") ?? "";
  const { algorithm } = bucket.upload(id, key);
  const received = await context.receive();
  const { checksum, md5 } = received;
  assertSumForLock(context, checksum !== undefined);
  if (algorithm !== undefined && checksum?.algorithm !== algorithm)
    throw new S3Error(
      400,
      "InvalidRequest",
      `Checksum Type mismatch occurred, expected checksum Type: ${algorithm.toLowerCase()}, actual checksum Type: ${checksum?.algorithm.toLowerCase() ?? "null"}`,
    );
  // Looked up again: the upload may have been aborted or completed while the body arrived.
  bucket.upload(id, key).parts.set(Number(number), { ...received, modified: context.now() });
  return {
    status: 200,
    headers: { etag: `"${md5}"`, ...(checksum && { [headerOf(checksum.algorithm)]: checksum.value }) },
  };
}

export async function abortMultipartUpload({ call, bucket, key }: KeyContext): Promise<Answer> {
  const { id } = bucket.upload(call.query.get("uploadId") ?? "", key);
  bucket.uploads.delete(id);
  return { status: 204, headers: {} };
}
