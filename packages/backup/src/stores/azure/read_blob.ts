import type { BlobClient } from "@azure/storage-blob";
import { StorageError } from "@perdura/internals/errors/errors.js";
import type { FoundObject } from "../object_store.ts";
import { blobName } from "./blob_names.ts";
import type { RestFailure } from "./failed_tries.ts";
import { findBlob, isNoBlob } from "./find_blob.ts";
import { inTurns } from "./in_turns.ts";
import { asking, UNCHANGED } from "./opened_container.ts";
import type { OpenedContainer } from "./opened_container.ts";
import { BrokenAnswer } from "./own_failures.ts";
import { md5Of } from "./upload_part.ts";

/** The longest range for which the service sends a checksum. */
const LONGEST_RANGE = 4 * 1024 * 1024;

const GONE = "it was removed or replaced meanwhile";

/** Fills a place with a part of a blob, in ranges that have checksums. */
export async function readBlob(
  container: OpenedContainer,
  object: FoundObject,
  start: number,
  bytes: Buffer,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const { length } = bytes;
  const { key, size, revision } = object;
  if (start + length > size)
    throw unreadable(container, key, `it has ${size} bytes, and ${length} from ${start} on were asked for`);
  if (length === 0 && (await findBlob(container, key, signal))?.revision !== revision)
    throw unreadable(container, key, GONE);
  const blob = container.client.getBlobClient(blobName(container.prefix, key));
  const action = { doing: `reading ${key}`, fate: UNCHANGED };
  await inTurns(Math.ceil(length / LONGEST_RANGE), signal, async (index, turnsSignal) => {
    const from = index * LONGEST_RANGE;
    const range = bytes.subarray(from, Math.min(from + LONGEST_RANGE, length));
    await asking(container, action, turnsSignal, async (abortSignal) => {
      try {
        await readRange(blob, object, start + from, range, abortSignal);
      } catch (error) {
        throw isGone(error) ? unreadable(container, key, GONE) : error;
      }
    });
  });
  return bytes;
}

function unreadable({ place }: OpenedContainer, key: string, why: string): StorageError {
  return new StorageError(`${place}: reading ${key} failed: ${why}. ${UNCHANGED}`, { path: place });
}

async function readRange(
  blob: BlobClient,
  object: FoundObject,
  start: number,
  into: Buffer,
  abortSignal: AbortSignal,
): Promise<void> {
  const answer = await blob.download(start, into.length, {
    abortSignal,
    conditions: { ifMatch: object.revision },
    rangeGetContentMD5: true,
    // The SDK would go on with the rest only; then nothing says whether the whole is right.
    maxRetryRequests: 0,
  });
  let came = 0;
  try {
    for await (const piece of answer.readableStreamBody as AsyncIterable<Buffer>) {
      // A try that took too long must not write over what the next one has read.
      abortSignal.throwIfAborted();
      piece.copy(into, came);
      came += piece.length;
    }
  } catch (error) {
    abortSignal.throwIfAborted();
    throw new BrokenAnswer(`the answer broke off after ${came} of ${into.length} bytes (${(error as Error).name})`);
  }
  if (came !== into.length) throw new BrokenAnswer(`the answer has ${came} bytes instead of ${into.length}`);
  if (answer.contentMD5 !== undefined && !md5Of(into).equals(answer.contentMD5))
    throw new BrokenAnswer("the bytes that came do not have the checksum that the store sent with them");
}

/** True where the blob is no longer there, or is another one, which may be shorter. */
function isGone(error: unknown): boolean {
  return isNoBlob(error) || [412, 416].includes((error as RestFailure).statusCode ?? 0);
}
