import type { Call } from "../call.ts";
import { S3Error } from "../s3_error.ts";

const PREFIX = "x-amz-meta-";
const MOST_BYTES = 2048;

/** The user metadata of a request. */
export function metadataOf(call: Call): Record<string, string> {
  const metadata: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(call.request.headers)) {
    if (!name.startsWith(PREFIX) || typeof value !== "string") continue;
    metadata[name.slice(PREFIX.length)] = value;
    bytes += name.length - PREFIX.length + value.length;
  }
  if (bytes > MOST_BYTES)
    throw new S3Error(400, "MetadataTooLarge", "Your metadata headers exceed the maximum allowed metadata size", {
      Size: String(bytes),
      MaxSizeAllowed: String(MOST_BYTES),
    });
  return metadata;
}

export function metadataHeaders(metadata: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [PREFIX + name, value]));
}
