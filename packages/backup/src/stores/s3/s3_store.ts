import type { S3Client } from "@aws-sdk/client-s3";
import type { FoundObject, Retention, ObjectStore, Removal, StoreLimits, Upload } from "../object_store.ts";
import { type RemoteClient, RemoteStore } from "../remote/remote_store.ts";
import { type Change, Requests } from "../remote/requests.ts";
import { addressOf, parseS3Address, type S3Address, type S3Given } from "./address.ts";
import { loadS3, newClient, recordTruncation, secretsOf, withEndpoint } from "./client.ts";
import { s3Failure } from "./failures.ts";
import { type Bucket, findObject, listObjects, readObject } from "./objects.ts";
import { putObject, putObjectInParts } from "./uploads.ts";
import { keepingOf, removeObject } from "./versioning.ts";

/** Minimum size of a part on S3, except for the last one. */
const LEAST_PART = 5 * 2 ** 20;

/**
 * Opens a bucket after a check that credentials and a region are present; the first request shows whether they are
 * valid.
 *
 * @param place An address like `s3://bucket/prefix?region=eu-west-1`, or a client with a bucket.
 * @throws ValidationError, MissingPackageError, or StorageError when no credentials are found.
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
  const secrets: string[] = [];
  const checked = { ...limits, partSize: Math.max(limits.partSize, LEAST_PART) };
  const cutOff = new WeakSet<object>();
  const requests = new Requests(checked, (error) => s3Failure(error, secrets, cutOff.has(error)));
  try {
    secrets.push(...(await secretsOf(client, address.place, requests, options.signal)));
  } catch (error) {
    if (given === undefined) client.destroy();
    throw error;
  }
  const { bucket, prefix } = address;
  const target = { sdk, client: recordTruncation(client, cutOff), bucket, prefix, requests, isKnown: false };
  return new RemoteStore(new S3Bucket(address, target, given === undefined ? client : undefined));
}

/** Objects in a bucket, below a prefix. */
class S3Bucket implements RemoteClient {
  readonly place: string;
  readonly requests: Requests;
  readonly refusesLate = true;
  readonly #bucket: Bucket;
  readonly #endpoint: string | undefined;
  readonly #ownClient: S3Client | undefined;

  constructor({ place, endpoint }: S3Address, bucket: Bucket, ownClient: S3Client | undefined) {
    this.place = place;
    this.requests = bucket.requests;
    this.#bucket = bucket;
    this.#endpoint = endpoint;
    this.#ownClient = ownClient;
  }

  put(upload: Upload, change: Change, signal: AbortSignal | undefined): Promise<void> {
    return putObject(this.#bucket, upload, change, signal);
  }

  putParts(upload: Upload, change: Change, signal: AbortSignal | undefined): Promise<void> {
    return putObjectInParts(this.#bucket, upload, change, signal);
  }

  look(key: string, signal: AbortSignal | undefined): Promise<FoundObject | undefined> {
    return findObject(this.#bucket, key, signal);
  }

  read(object: FoundObject, start: number, into: Buffer, signal: AbortSignal | undefined): Promise<void> {
    return readObject(this.#bucket, object, start, into, signal);
  }

  list(prefix: string, signal: AbortSignal | undefined): AsyncGenerator<{ key: string; size: number }, void> {
    return listObjects(this.#bucket, prefix, signal);
  }

  remove(key: string, change: Change, signal: AbortSignal | undefined): Promise<Removal> {
    return removeObject(this.#bucket, key, change, signal);
  }

  keeping(signal: AbortSignal | undefined): Promise<Retention> {
    return keepingOf(this.#bucket, this.#endpoint, signal);
  }

  async close(): Promise<void> {
    this.#ownClient?.destroy();
  }
}
