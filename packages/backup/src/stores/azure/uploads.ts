import { randomBytes } from "node:crypto";
import type { BlockBlobClient } from "@azure/storage-blob";
import type { Upload } from "../object_store.ts";
import { md5 } from "../remote/checksums.ts";
import { RemoteFailure } from "../remote/failures.ts";
import { readPart, sendParts } from "../remote/parts.ts";
import type { Change, Requests } from "../remote/requests.ts";
import { blobName } from "./address.ts";
import type { Container } from "./objects.ts";

/** Maximum number of blocks of a blob. */
const MOST_BLOCKS = 50_000;

/** Stores a blob in one request. */
export async function putWhole(
  container: Container,
  upload: Upload,
  change: Change,
  signal: AbortSignal | undefined,
): Promise<void> {
  const blob = blobOf(container, upload);
  await store(container.requests, change, signal, async (abortSignal) => {
    const body = await readPart(upload, 0, Buffer.allocUnsafe(upload.size));
    await blob.upload(body, body.length, {
      abortSignal,
      conditions: { ifNoneMatch: "*" },
      metadata: { ...upload.metadata },
      // The service refuses a body with another checksum.
      blobHTTPHeaders: { blobContentType: upload.contentType, blobContentMD5: md5(body) },
    });
  });
  upload.sent?.(upload.size);
}

/**
 * Stores a blob in blocks, which are invisible until the list of them is committed. Blocks of an interrupted upload
 * cannot be removed; the service deletes them after a week.
 */
export async function putBlocks(
  container: Container,
  upload: Upload,
  change: Change,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { requests } = container;
  const blob = blobOf(container, upload);
  const size = Math.max(requests.limits.partSize, Math.ceil(upload.size / MOST_BLOCKS));
  const idOf = blockIds();
  const ids = await sendParts(upload, size, signal, async ({ index, start, length }, buffers, partSignal) => {
    const id = idOf(index);
    await requests.send(
      (abortSignal) =>
        buffers.lend(length, async (buffer) => {
          const body = await readPart(upload, start, buffer);
          await blob.stageBlock(id, body, length, { abortSignal, transactionalContentMD5: md5(body) });
        }),
      partSignal,
    );
    return id;
  });
  await store(requests, change, signal, async (abortSignal) => {
    await blob.commitBlockList(ids, {
      abortSignal,
      conditions: { ifNoneMatch: "*" },
      metadata: { ...upload.metadata },
      blobHTTPHeaders: { blobContentType: upload.contentType },
    });
  });
}

function blobOf({ client, prefix }: Container, { key }: Upload): BlockBlobClient {
  return client.getBlockBlobClient(blobName(prefix, key));
}

/** Sends the request that creates a blob. If the blob exists, the service may give another reason for its refusal. */
async function store(
  requests: Requests,
  change: Change,
  signal: AbortSignal | undefined,
  attempt: (abortSignal: AbortSignal) => Promise<void>,
): Promise<void> {
  try {
    await requests.send(attempt, signal, { change });
  } catch (error) {
    const isConflict =
      error instanceof RemoteFailure && [409, 412].includes(error.status ?? 0) && error.kind !== "missingContainer";
    throw isConflict ? new RemoteFailure("exists", error.message, error) : error;
  }
}

/**
 * Ids of one length, as the service requires, and unique to this upload: two uploads of one blob may run at the same
 * time.
 */
function blockIds(): (index: number) => string {
  const upload = randomBytes(15).toString("hex");
  return (index) => Buffer.from(`${upload}-${`${index}`.padStart(5, "0")}`).toString("base64");
}
