import { readFile } from "node:fs/promises";
import type { Answer } from "../answer.ts";
import { header } from "../call.ts";
import type { KeyContext } from "../context.ts";
import { S3Error } from "../s3_error.ts";
import type { StoredObject } from "../state.ts";
import { childText, parseXml } from "../xml.ts";
import { malformedXml } from "./delete_objects.ts";
import { foundVersion, versionOf } from "./versions.ts";

/** @throws S3Error for a body without a checksum in a bucket with Object Lock. */
export function assertSumForLock({ call, bucket }: KeyContext, hasChecksum: boolean): void {
  if (bucket.retention === undefined || hasChecksum || header(call, "content-md5") !== undefined) return;
  throw new S3Error(
    400,
    "InvalidRequest",
    "Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters",
  );
}

/** @throws S3Error for a version that is still locked. */
export function assertUnlocked({ call, bucket, key, now }: KeyContext, versionId: string): void {
  const { retention, legalHold = false } = foundVersion(bucket, key, versionId)?.object?.lock ?? {};
  const bypasses = header(call, "x-amz-bypass-governance-retention") === "true" && retention?.mode === "GOVERNANCE";
  const isRetained = retention !== undefined && retention.until > now() && !bypasses;
  if (legalHold || isRetained)
    throw new S3Error(403, "AccessDenied", "Access Denied because object protected by object lock.");
}

/** Headers of a version's lock. */
export function lockHeaders({ lock }: StoredObject): Record<string, string> {
  const { retention, legalHold } = lock ?? {};
  return {
    ...(retention && {
      "x-amz-object-lock-mode": retention.mode,
      "x-amz-object-lock-retain-until-date": retention.until.toISOString(),
    }),
    ...(legalHold !== undefined && { "x-amz-object-lock-legal-hold": legalHold ? "ON" : "OFF" }),
  };
}

export async function putObjectLegalHold(context: KeyContext): Promise<Answer> {
  if (context.bucket.retention === undefined)
    throw new S3Error(400, "InvalidRequest", "Bucket is missing Object Lock Configuration");
  const object = versionOf(context);
  const { file } = await context.receive();
  const root = parseXml(await readFile(file, "utf8"));
  const status = root?.name === "LegalHold" ? childText(root, "Status") : undefined;
  if (status !== "ON" && status !== "OFF") throw malformedXml();
  object.lock = { ...object.lock, legalHold: status === "ON" };
  return { status: 200, headers: {} };
}
