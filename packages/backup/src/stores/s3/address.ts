import type { S3Client } from "@aws-sdk/client-s3";
import { ValidationError } from "@perdura/internals/errors/errors.js";

/**
 * An existing client. It stays open and keeps its settings: those of checksums, and those of retries within each of our
 * tries (`maxAttempts: 1` leaves retries to us).
 */
export interface S3Given {
  client: S3Client;
  bucket: string;
  prefix?: string | undefined;
}

/** A bucket and the prefix of all keys in it. */
export interface S3Address {
  bucket: string;
  /** Empty, or with a slash at its end. */
  prefix: string;
  region: string | undefined;
  /** Endpoint of a store that is compatible with S3; undefined for Amazon's own. */
  endpoint: string | undefined;
  /** The address for messages, without secrets. */
  place: string;
}

/** Form of an address, for messages. */
const SYNTAX = "s3://bucket/prefix?region=…&endpoint=…, of which only the bucket is required";

/**
 * Parses an address like `s3://bucket/prefix?region=eu-west-1`. The prefix is not decoded.
 *
 * @throws ValidationError that shows nothing of the address, since any part of it may be a secret.
 */
export function parseS3Address(text: string): S3Address {
  const [whole, bucket = "", path = "", query = ""] =
    /^s3:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i.exec(text) ?? [];
  if (bucket.includes("@"))
    refuse("an address without credentials, which belong in the environment or ~/.aws/credentials");
  if (whole === undefined) refuse(SYNTAX);
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys())
    if (name !== "region" && name !== "endpoint") refuse(`${SYNTAX}; got another parameter`);
  for (const name of ["region", "endpoint"])
    if (parameters.getAll(name).length > 1) refuse(`${SYNTAX}; got ${name} twice`);
  return addressOf(bucket, path, parameters.get("region") ?? undefined, parameters.get("endpoint") ?? undefined);
}

/** @throws ValidationError */
export function addressOf(bucket: string, path: string, region?: string, endpoint?: string): S3Address {
  // Amazon's rules have become stricter; old buckets and other stores have these names.
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/.test(bucket))
    refuse("the name of a bucket: 3 to 255 letters, digits, dots, hyphens and underscores");
  const trimmed = path.replace(/\/$/, "");
  const segments = trimmed === "" ? [] : trimmed.split("/");
  if (segments.some((each) => ["", ".", ".."].includes(each)) || !/^[ -~]{0,512}$/.test(trimmed))
    refuse('a prefix of at most 512 printable ASCII characters without segments that are empty, "." or ".."');
  if (region !== undefined && !/^[a-z0-9-]{1,63}$/i.test(region)) refuse("the name of a region, such as eu-west-1");
  const checked = endpoint === undefined ? undefined : checkedEndpoint(endpoint);
  const more = new URLSearchParams({ ...(region && { region }), ...(checked && { endpoint: checked }) });
  const shown = [...more].map((pair) => pair.join("=")).join("&");
  return {
    bucket,
    prefix: trimmed === "" ? "" : `${trimmed}/`,
    region,
    endpoint: checked,
    place: `s3://${bucket}${trimmed === "" ? "" : `/${trimmed}`}${shown === "" ? "" : `?${shown}`}`,
  };
}

/** @throws ValidationError that shows nothing of an endpoint that may contain a secret. */
export function checkedEndpoint(text: string, from = "place"): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") refuse("an endpoint like https://host:port", from);
  const { username, password, search, hash } = url;
  if (username + password + search + hash !== "" || text.includes("@"))
    refuse("an endpoint like https://host:port, without credentials and parameters", from);
  return url.href.replace(/\/$/, "");
}

function refuse(expected: string, from = "place"): never {
  throw new ValidationError(`expected ${expected}.`, { argument: from });
}
