import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";
import type { Bucket, Storage } from "@google-cloud/storage";

/**
 * The place of the objects: a bucket by name, accessed with the machine's credentials or with an existing `Storage`; or
 * an existing `Bucket`.
 */
export interface GcsPlace {
  bucket: string | Bucket;
  /** Prefix of all keys; a slash follows it. Empty by default. */
  prefix?: string | undefined;
  /** Not allowed with a `Bucket`, which has its own client. */
  client?: Storage | undefined;
}

/** {@link GcsPlace} in checked parts. */
export interface CheckedPlace {
  bucket: string;
  /** Empty, or with a slash at its end. */
  prefix: string;
  client: Storage | undefined;
  /** The project that pays for requests, if not the bucket's owner. */
  userProject: string | undefined;
  /** The address for messages. */
  shown: string;
}

const BUCKET = /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/;

/**
 * Parses an address `gs://bucket/prefix`. As in Google's own tools, it has no escapes.
 *
 * @throws ValidationError
 */
export function gcsPlaceOf(address: string): { bucket: string; prefix: string } {
  const [, bucket, prefix = ""] = /^gs:\/\/([^/]+)(?:\/([^]*))?$/.exec(address) ?? [];
  if (bucket !== undefined) {
    const { bucket: name, prefix: checked } = checkedPlace({ bucket, prefix });
    return { bucket: name, prefix: checked.replace(/\/$/, "") };
  }
  // Not shown: it may contain a secret.
  throw new ValidationError("expected an address like gs://bucket/prefix.", { argument: "place" });
}

/** @throws ValidationError naming the invalid part. */
export function checkedPlace(place: GcsPlace): CheckedPlace {
  const ready = isBucket(place.bucket) ? place.bucket : undefined;
  const bucket = ready?.name ?? place.bucket;
  if (typeof bucket !== "string" || !BUCKET.test(bucket))
    refuse(
      "bucket",
      "the name of a bucket of 3 to 222 lower-case letters, digits, dots, hyphens and underscores",
      bucket,
    );
  const client = ready?.storage ?? place.client;
  if (client !== undefined && !isStorage(client)) refuse("client", "a Storage of @google-cloud/storage", client);
  const { prefix = "" } = place;
  if (typeof prefix !== "string" || /[\u0000-\u001f\u007f?#*[\]]/.test(prefix) || !prefix.isWellFormed())
    refuse("prefix", "a string without control characters and without ? # * [ ]", prefix);
  const trimmed = prefix.replace(/^\/+|\/+$/g, "");
  return {
    bucket,
    prefix: trimmed === "" ? "" : `${trimmed}/`,
    client,
    userProject: ready?.userProject,
    shown: `gs://${bucket}${trimmed === "" ? "" : `/${trimmed}`}`,
  };
}

/** Detected by their properties: the application may have another copy of the package than ours. */
function isBucket(value: unknown): value is Bucket {
  const { name, storage } = (value ?? {}) as { name?: unknown; storage?: unknown };
  return typeof value === "object" && typeof name === "string" && isStorage(storage);
}

function isStorage(value: unknown): value is Storage {
  const { bucket, authClient, apiEndpoint } = (value ?? {}) as Record<string, unknown>;
  return typeof bucket === "function" && typeof authClient === "object" && typeof apiEndpoint === "string";
}

function refuse(what: string, expected: string, value: unknown): never {
  // A user may have put credentials before a bucket, or parameters with a token after a prefix.
  const found = typeof value === "string" ? "" : `, got ${describe(value)}`;
  throw new ValidationError(`expected ${expected}${found}.`, { argument: what });
}
