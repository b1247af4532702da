import type { Target } from "./found_object.ts";

/** Days that a lifecycle rule leaves an older version, in which a removal can be undone. */
const DAYS = 7;

/** How the bucket frees versions that are no longer current: a command with a rule to paste. */
export function lifecycleRule(
  { bucket, prefix }: Pick<Target, "bucket" | "prefix">,
  endpoint: string | undefined,
): string {
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
    `A lifecycle rule of the bucket frees them ${DAYS} days later, those under a lock when it ends. Where there is none yet:`,
    "",
    `aws s3api put-bucket-lifecycle-configuration --bucket ${bucket} \\`,
    ...(endpoint === undefined ? [] : [`  --endpoint-url ${quoted(endpoint)} \\`]),
    `  --lifecycle-configuration ${quoted(rule)}`,
    "",
    "This replaces all rules of the bucket: where it has some, add this one to them.",
  ].join("\n");
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
