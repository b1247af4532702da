import type { CompletedPart } from "@aws-sdk/client-s3";
import type { Upload } from "../object_store.ts";
import { Places } from "../places.ts";
import { partOf } from "./bodies.ts";
import type { Target } from "./found_object.ts";
import { tried } from "./tries.ts";

/** As many parts are in memory. */
const AT_A_TIME = 2;
/** S3's limit. */
const MOST_PARTS = 10_000;

/** Sends all parts, two at a time; the first that fails ends the others. */
export async function sendParts(
  target: Target,
  upload: Upload,
  UploadId: string,
  signal?: AbortSignal,
): Promise<CompletedPart[]> {
  const partSize = Math.max(target.limits.partSize, Math.ceil(upload.size / MOST_PARTS));
  const count = Math.ceil(upload.size / partSize);
  const parts: CompletedPart[] = [];
  const places = new Places(partSize);
  const failed = new AbortController();
  const ended = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  let next = 0;
  let sent = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      const start = index * partSize;
      const length = Math.min(partSize, upload.size - start);
      const read = { start, length, places };
      parts[index] = await sendPart(target, upload, { UploadId, PartNumber: index + 1 }, read, ended);
      sent += length;
      upload.sent?.(sent);
    }
  };
  const working = Array.from({ length: AT_A_TIME }, () =>
    work().catch((error: unknown) => {
      failed.abort(error);
      throw error;
    }),
  );
  // Nothing may be on its way any more when the upload is aborted.
  await Promise.allSettled(working);
  signal?.throwIfAborted();
  if (failed.signal.aborted) throw failed.signal.reason;
  return parts;
}

async function sendPart(
  { sdk, client, bucket: Bucket, prefix, limits }: Target,
  upload: Upload,
  which: { UploadId: string; PartNumber: number },
  { start, length, places }: { start: number; length: number; places: Places },
  signal: AbortSignal,
): Promise<CompletedPart> {
  const { ETag, ChecksumCRC32 } = await tried(
    (abortSignal) =>
      places.lend(length, async (place) => {
        const part = await partOf(client, upload, start, place);
        const command = new sdk.UploadPartCommand({ Bucket, Key: prefix + upload.key, ...which, ...part });
        return client.send(command, { abortSignal });
      }),
    limits,
    signal,
  );
  return {
    PartNumber: which.PartNumber,
    ...(ETag === undefined ? {} : { ETag }),
    ...(ChecksumCRC32 === undefined ? {} : { ChecksumCRC32 }),
  };
}
