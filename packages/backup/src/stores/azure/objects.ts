import type { Readable } from "node:stream";
import type { BlobClient, ContainerClient } from "@azure/storage-blob";
import type { FoundObject, Removal } from "../object_store.ts";
import { md5 } from "../remote/checksums.ts";
import { RemoteFailure } from "../remote/failures.ts";
import { fill, mapConcurrent } from "../remote/parts.ts";
import type { Change, Requests } from "../remote/requests.ts";
import { below, blobName } from "./address.ts";

/** A container and its requests. */
export interface Container {
  client: ContainerClient;
  /** Without slashes at its ends; may be empty. */
  prefix: string;
  requests: Requests;
}

/** Finds a blob; undefined if it does not exist. A missing container is an error, not an empty store. */
export async function findBlob(
  { client, prefix, requests }: Container,
  key: string,
  signal: AbortSignal | undefined,
): Promise<FoundObject | undefined> {
  const blob = client.getBlobClient(blobName(prefix, key));
  try {
    const {
      contentLength,
      metadata = {},
      etag,
    } = await requests.send((abortSignal) => blob.getProperties({ abortSignal }), signal);
    return { key, size: contentLength as number, metadata, revision: etag as string };
  } catch (error) {
    if (error instanceof RemoteFailure && error.kind === "missingObject") return undefined;
    throw error;
  }
}

/** Maximum length of a range for which the service sends a checksum. */
const LONGEST_RANGE = 4 * 1024 * 1024;

/** Fills a buffer with a part of a blob, in ranges with checksums. */
export async function readBlob(
  { client, prefix, requests }: Container,
  object: FoundObject,
  start: number,
  into: Buffer,
  signal: AbortSignal | undefined,
): Promise<void> {
  const blob = client.getBlobClient(blobName(prefix, object.key));
  try {
    await mapConcurrent(Math.ceil(into.length / LONGEST_RANGE), signal, async (index, rangeSignal) => {
      const from = index * LONGEST_RANGE;
      const range = into.subarray(from, Math.min(from + LONGEST_RANGE, into.length));
      const { revision } = object;
      await requests.send((abortSignal) => readRange(blob, revision, start + from, range, abortSignal), rangeSignal);
    });
  } catch (error) {
    // Another blob of this name may be shorter.
    const isGone = error instanceof RemoteFailure && [404, 412, 416].includes(error.status ?? 0);
    throw isGone && error.kind !== "missingContainer" ? new RemoteFailure("changed", error.message, error) : error;
  }
}

async function readRange(
  blob: BlobClient,
  revision: string,
  start: number,
  into: Buffer,
  abortSignal: AbortSignal,
): Promise<void> {
  const { readableStreamBody, contentMD5 } = await blob.download(start, into.length, {
    abortSignal,
    conditions: { ifMatch: revision },
    rangeGetContentMD5: true,
    // The SDK would continue with the remaining bytes only, and the checksum of the whole range would be missing.
    maxRetryRequests: 0,
  });
  await fill(into, readableStreamBody as Readable, abortSignal);
  if (contentMD5 !== undefined && !md5(into).equals(contentMD5))
    throw new RemoteFailure("damaged", "their checksum differs from the one that the store sent");
}

/** Lists keys and sizes of all blobs whose keys have the prefix, in the order of the keys' bytes. */
export async function* listBlobs(
  { client, prefix: base, requests }: Container,
  keyPrefix: string,
  pageSize: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ key: string; size: number }, void> {
  const prefix = below(base, keyPrefix);
  let [token, last]: [string | undefined, string] = [undefined, ""];
  do {
    const { blobs, next } = await requests.send(async (abortSignal) => {
      const pages = client
        .listBlobsFlat({ prefix, abortSignal })
        .byPage({ maxPageSize: pageSize, ...(token !== undefined && { continuationToken: token }) });
      const { value } = await pages.next();
      return { blobs: value?.segment.blobItems ?? [], next: value?.continuationToken as string | undefined };
    }, signal);
    for (const { name, properties } of blobs) {
      const key = name.slice(prefix.length - keyPrefix.length);
      // Accounts with a hierarchical namespace sort the slash before all other characters, and list directories.
      if (key < last)
        throw new RemoteFailure("invalidAnswer", `${key} is listed after ${last}, expected the order of their bytes`);
      last = key;
      yield { key, size: properties.contentLength as number };
    }
    token = next === "" ? undefined : next;
  } while (token !== undefined);
}

/**
 * Removes a blob with its snapshots.
 *
 * @param hasVersions True if blobs have versions; undefined if unknown.
 */
export async function removeBlob(
  { client, prefix, requests }: Container,
  key: string,
  hasVersions: boolean | undefined,
  change: Change,
  signal: AbortSignal | undefined,
): Promise<Removal> {
  const blob = client.getBlobClient(blobName(prefix, key));
  try {
    const { _response: response } = await requests.send(
      (abortSignal) => blob.delete({ abortSignal, deleteSnapshots: "include" }),
      signal,
      { change },
    );
    const isFinal = response.headers.get("x-ms-delete-type-permanent");
    if (isFinal === "false") return "retained";
    // An account with versioning keeps the blob as a version, which this answer may not report.
    return isFinal === "true" && hasVersions === false ? "freed" : "unknown";
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    if (error.kind === "missingObject") return "freed";
    if (error.kind === "locked") return { lockedBy: error.message };
    throw error;
  }
}
