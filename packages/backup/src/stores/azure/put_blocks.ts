import { randomBytes } from "node:crypto";
import type { BlockBlobClient } from "@azure/storage-blob";
import type { Upload } from "../object_store.ts";
import { Places } from "../places.ts";
import { again } from "./again.ts";
import { noting } from "./doubt.ts";
import type { Doubt } from "./doubt.ts";
import { inTurns } from "./in_turns.ts";
import type { OpenedContainer } from "./opened_container.ts";
import { md5Of, readPart } from "./upload_part.ts";

/** A blob has no more blocks than that. */
const MOST_BLOCKS = 50_000;

/**
 * Sends a blob in blocks, of which nobody sees anything until the list of them is committed. What a broken-off upload leaves
 * cannot be removed; the service forgets it after a week.
 */
export async function putBlocks(
  { limits }: OpenedContainer,
  blob: BlockBlobClient,
  upload: Upload,
  doubt: Doubt,
  signal: AbortSignal | undefined,
): Promise<void> {
  const size = Math.max(limits.partSize, Math.ceil(upload.size / MOST_BLOCKS));
  const ids = blockIds(Math.ceil(upload.size / size));
  const places = new Places(size);
  let acknowledged = 0;
  await inTurns(ids.length, signal, async (index, turnsSignal) => {
    const start = index * size;
    const length = Math.min(size, upload.size - start);
    await again(limits, turnsSignal, (abortSignal) =>
      places.lend(length, async (place) => {
        const body = await readPart(upload, start, place);
        const options = { abortSignal, transactionalContentMD5: md5Of(body) };
        await blob.stageBlock(ids[index] as string, body, length, options);
      }),
    );
    acknowledged += length;
    upload.sent?.(acknowledged);
  });
  await again(limits, signal, async (abortSignal) => {
    const options = {
      abortSignal,
      conditions: { ifNoneMatch: "*" },
      metadata: { ...upload.metadata },
      blobHTTPHeaders: { blobContentType: upload.contentType },
    };
    await noting(doubt, () => blob.commitBlockList(ids, options));
  });
}

/** Of one length, as the service wants it, and no other upload's: two may be under way for one blob. */
function blockIds(count: number): string[] {
  const upload = randomBytes(15).toString("hex");
  return Array.from({ length: count }, (_, index) =>
    Buffer.from(`${upload}-${`${index}`.padStart(5, "0")}`).toString("base64"),
  );
}
