import type { Retention, Removal } from "../object_store.ts";
import { RemoteFailure } from "../remote/failures.ts";
import type { Change } from "../remote/requests.ts";
import { isLock } from "./failures.ts";
import type { Bucket } from "./objects.ts";

/**
 * Removes an object. In a bucket with versioning this writes a delete marker and frees nothing: versions are not
 * deleted, because versioning is meant to undo removals, including those of perdura.
 */
export async function removeObject(
  target: Bucket,
  key: string,
  change: Change,
  signal: AbortSignal | undefined,
): Promise<Removal> {
  const { sdk, client, bucket, prefix, requests } = target;
  const command = new sdk.DeleteObjectCommand({ Bucket: bucket, Key: prefix + key });
  try {
    const answer = await requests.send((abortSignal) => client.send(command, { abortSignal }), signal, { change });
    if (answer.DeleteMarker !== true) return "freed";
    if (answer.VersionId !== undefined && answer.VersionId !== "null") return "retained";
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    // S3 does not report this, other stores do.
    if (error.kind === "missingObject") return "freed";
    if (isLock(error)) return { lockedBy: error.message };
    throw error;
  }
  change.mayHaveHappened = true;
  // Suspended versioning frees an object that was created during the suspension, and keeps an older one.
  const older = await hasOlderVersions(target, key, signal);
  return older === undefined ? "unknown" : older ? "retained" : "freed";
}

/** Asks whether the bucket keeps removed objects; most credentials may not ask, and some stores do not support it. */
export async function keepingOf(
  target: Bucket,
  endpoint: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Retention> {
  const { sdk, client, bucket, requests } = target;
  const howToFree = lifecycleRule(target, endpoint);
  const command = new sdk.GetBucketVersioningCommand({ Bucket: bucket });
  const answer = await unlessRefused(requests.send((abortSignal) => client.send(command, { abortSignal }), signal));
  const status = answer === undefined ? undefined : (answer.Status ?? "Off");
  if (status === "Off") return { retains: false };
  if (status === "Enabled") return { retains: true, why: "the bucket has versioning", howToFree };
  // The answer to a removal shows versioning even if this request is not permitted; suspended versioning keeps older
  // objects.
  const why = status === "Suspended" ? "the bucket had versioning, which is suspended" : "the bucket has versioning";
  return { retains: undefined, why, howToFree };
}

/** True if the bucket still has a version of a key; undefined if the request is not permitted. */
async function hasOlderVersions(
  { sdk, client, bucket, prefix, requests }: Bucket,
  key: string,
  signal: AbortSignal | undefined,
): Promise<boolean | undefined> {
  const list = new sdk.ListObjectVersionsCommand({ Bucket: bucket, Prefix: prefix + key });
  const page = await unlessRefused(requests.send((abortSignal) => client.send(list, { abortSignal }), signal));
  return page === undefined ? undefined : (page.Versions ?? []).some(({ Key }) => Key === prefix + key);
}

/** Undefined if the request is not permitted, or not supported by the store. */
async function unlessRefused<Result>(answer: Promise<Result>): Promise<Result | undefined> {
  try {
    return await answer;
  } catch (error) {
    const { kind, status = 0 } = error as RemoteFailure;
    if (error instanceof RemoteFailure && (kind === "unsupported" || (status >= 400 && status < 500 && !error.passes)))
      return undefined;
    throw error;
  }
}

/** Days for which the suggested lifecycle rule keeps an older version, so that a removal can be undone. */
const DAYS = 7;

/** Explains how the bucket frees versions that are no longer current: a command with a rule to paste. */
function lifecycleRule({ bucket, prefix }: Pick<Bucket, "bucket" | "prefix">, endpoint: string | undefined): string {
  const rule = [
    '{"Rules": [{',
    '  "ID": "perdura-backup", "Status": "Enabled",',
    `  "Filter": {"Prefix": ${JSON.stringify(prefix)}},`,
    `  "NoncurrentVersionExpiration": {"NoncurrentDays": ${DAYS}},`,
    '  "Expiration": {"ExpiredObjectDeleteMarker": true},',
    '  "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 2}',
    "}]}",
  ].join("\n");
  return [
    `A lifecycle rule of the bucket can free them after ${DAYS} days, and locked versions when their lock ends. If the bucket has no rules:`,
    "",
    `aws s3api put-bucket-lifecycle-configuration --bucket ${bucket} \\`,
    ...(endpoint === undefined ? [] : [`  --endpoint-url ${quoted(endpoint)} \\`]),
    `  --lifecycle-configuration ${quoted(rule)}`,
    "",
    "The command replaces all rules of the bucket. If it has rules, add this one to them.",
  ].join("\n");
}

/** Quotes text for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
