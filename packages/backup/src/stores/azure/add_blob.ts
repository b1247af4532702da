import type { Upload } from "../object_store.ts";
import { assertMetadata, blobName } from "./blob_names.ts";
import type { Doubt } from "./doubt.ts";
import { codeOf } from "./failed_tries.ts";
import type { RestFailure } from "./failed_tries.ts";
import { findBlob } from "./find_blob.ts";
import { failureOf } from "./opened_container.ts";
import type { OpenedContainer } from "./opened_container.ts";
import { putBlocks } from "./put_blocks.ts";
import { putWhole } from "./put_whole.ts";

/** Adds a blob, whole or not at all. */
export async function addBlob(
  container: OpenedContainer,
  upload: Upload,
  signal: AbortSignal | undefined,
): Promise<"added" | "exists"> {
  const blob = container.client.getBlockBlobClient(blobName(container.prefix, upload.key));
  assertMetadata(upload.metadata);
  const inBlocks = upload.size > container.limits.partSize;
  const failing = { doing: `adding ${upload.key}`, fate: "Nothing was stored." };
  // A condition is tried at the end only, when all blocks have been sent in vain.
  if (inBlocks) {
    const found = await findBlob(container, upload.key, signal, failing);
    if (found !== undefined) return isOurs(found.metadata, upload) ? "added" : "exists";
  }
  const doubt: Doubt = { mayBeDone: false };
  try {
    await (inBlocks ? putBlocks : putWhole)(container, blob, upload, doubt, signal);
    return "added";
  } catch (error) {
    signal?.throwIfAborted();
    if (isConflict(error) || doubt.mayBeDone) return afterwards(container, upload, error, signal);
    throw failureOf(error, container, failing);
  }
}

/** Looks who has stored the blob, where we or somebody else may have: an answer that was lost told us nothing. */
async function afterwards(
  container: OpenedContainer,
  upload: Upload,
  error: unknown,
  signal: AbortSignal | undefined,
): Promise<"added" | "exists"> {
  const doing = `adding ${upload.key}`;
  let found;
  try {
    found = await findBlob(container, upload.key, signal);
  } catch {
    signal?.throwIfAborted();
    throw failureOf(error, container, { doing, fate: "Whether it was stored is not known." });
  }
  if (found !== undefined && isOurs(found.metadata, upload)) return "added";
  if (found !== undefined && isConflict(error)) return "exists";
  throw failureOf(error, container, { doing, fate: "Nothing was stored." });
}

function isOurs(metadata: Readonly<Record<string, string>>, upload: Upload): boolean {
  const id = upload.metadata["upload"];
  return id !== undefined && metadata["upload"] === id;
}

/** True where there may be a blob of that name already. */
function isConflict(error: unknown): boolean {
  const { statusCode } = error as RestFailure;
  if (statusCode === 409 || statusCode === 412) return true;
  // To those who may create blobs only; and of blocks that are gone because others have committed theirs, or we have.
  return ["UnauthorizedBlobOverwrite", "InvalidBlockList"].includes(codeOf(error));
}
