import type { ObjectStore, StoreLimits } from "../object_store.ts";
import { addressOf, parseS3Address } from "./address.ts";
import type { S3Given } from "./address.ts";
import { checkClient } from "./check_client.ts";
import { loadS3 } from "./load_s3.ts";
import { newClient, withEndpoint } from "./new_client.ts";
import { S3Store } from "./s3_store.ts";

/** S3 takes no smaller parts but the last. */
const LEAST_PART = 5 * 2 ** 20;

/**
 * Opens a bucket, after a look whether there are credentials and a region; whether they are right, the first request shows.
 *
 * @param place An address like `s3://bucket/prefix?region=eu-west-1`, or a client with a bucket.
 * @throws ValidationError, MissingPackageError, or StorageError where there are no credentials.
 */
export async function openS3Store(
  place: string | S3Given,
  limits: StoreLimits,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<ObjectStore> {
  const given = typeof place === "string" ? undefined : place;
  const parsed = typeof place === "string" ? parseS3Address(place) : addressOf(place.bucket, place.prefix ?? "");
  const address = given === undefined ? withEndpoint(parsed) : parsed;
  const sdk = await loadS3();
  const client = given?.client ?? newClient(sdk, address, limits);
  try {
    const secrets = await checkClient(client, address.place, limits.timeoutMs, options.signal);
    const { bucket, prefix } = address;
    const checked = { ...limits, partSize: Math.max(limits.partSize, LEAST_PART) };
    const target = { sdk, client, bucket, prefix, limits: checked, bucketSeen: false };
    return new S3Store(address, target, secrets, given === undefined);
  } catch (error) {
    if (given === undefined) client.destroy();
    throw error;
  }
}
