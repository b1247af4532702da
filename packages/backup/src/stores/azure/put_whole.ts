import type { BlockBlobClient } from "@azure/storage-blob";
import type { Upload } from "../object_store.ts";
import { again } from "./again.ts";
import type { Doubt } from "./doubt.ts";
import { noting } from "./doubt.ts";
import type { OpenedContainer } from "./opened_container.ts";
import { md5Of, readPart } from "./upload_part.ts";

/** Sends a blob in one request. */
export async function putWhole(
  { limits }: OpenedContainer,
  blob: BlockBlobClient,
  upload: Upload,
  doubt: Doubt,
  signal: AbortSignal | undefined,
): Promise<void> {
  await again(limits, signal, async (abortSignal) => {
    const body = await readPart(upload, 0, Buffer.allocUnsafe(upload.size));
    const options = {
      abortSignal,
      conditions: { ifNoneMatch: "*" },
      metadata: { ...upload.metadata },
      // The service refuses a body that has another checksum.
      blobHTTPHeaders: { blobContentType: upload.contentType, blobContentMD5: md5Of(body) },
    };
    await noting(doubt, () => blob.upload(body, body.length, options));
  });
  upload.sent?.(upload.size);
}
