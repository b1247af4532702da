import { header } from "../call.ts";
import type { KeyContext } from "../context.ts";
import { notImplemented, S3Error } from "../s3_error.ts";
import type { StoredObject } from "../state.ts";

/**
 * Checks `If-Match` and `If-None-Match` of a write before its body is read.
 *
 * @returns A function that checks again after the body has arrived, directly before the object is replaced.
 */
export function writePreconditions(context: KeyContext): () => void {
  const { call, bucket, key } = context;
  const ifMatch = header(call, "if-match");
  const ifNoneMatch = header(call, "if-none-match");
  if (ifMatch === undefined && ifNoneMatch === undefined) return () => {};
  if (context.preconditions === "ignored") return () => {};
  if (context.preconditions === "refused")
    throw new S3Error(501, "NotImplemented", "A header you provided implies functionality that is not implemented", {
      Header: ifMatch === undefined ? "If-None-Match" : "If-Match",
    });
  if (ifMatch !== undefined && ifNoneMatch !== undefined) throw notImplemented("If-Match with If-None-Match");
  if (ifNoneMatch !== undefined && ifNoneMatch !== "*")
    throw new S3Error(501, "NotImplemented", "A header you provided implies functionality that is not implemented", {
      Header: "If-None-Match",
    });
  const deletions = bucket.deletions.get(key);
  return () => {
    // Another client deleted the object while this body arrived: S3 reports a conflict.
    if (bucket.deletions.get(key) !== deletions)
      throw new S3Error(
        409,
        "ConditionalRequestConflict",
        "The conditional request cannot succeed due to a conflicting operation against this resource.",
        { Condition: ifMatch === undefined ? "If-None-Match" : "If-Match", Key: key },
      );
    if (ifMatch !== undefined && !matches(bucket.object(key), ifMatch)) throw preconditionFailed("If-Match");
    if (ifNoneMatch !== undefined && bucket.objects.has(key)) throw preconditionFailed("If-None-Match");
  };
}

/** `If-Match` of a read. */
export function assertReadCondition(context: KeyContext, object: StoredObject): void {
  const ifMatch = header(context.call, "if-match");
  if (ifMatch !== undefined && !matches(object, ifMatch)) throw preconditionFailed("If-Match");
}

function matches(object: StoredObject, etag: string): boolean {
  return etag === "*" || object.etag === (etag.startsWith('"') ? etag : `"${etag}"`);
}

function preconditionFailed(condition: string): S3Error {
  return new S3Error(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold", {
    Condition: condition,
  });
}
