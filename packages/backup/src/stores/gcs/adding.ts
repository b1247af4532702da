import type { Upload } from "../object_store.ts";
import type { GcsApi } from "./api.ts";
import { GcsFailure } from "./failures.ts";
import { look } from "./reading.ts";
import { ResumableUpload } from "./resumable_upload.ts";
import { assertSame, throwFinal } from "./sent_object.ts";
import type { Ending, TriesSoFar } from "./sent_object.ts";
import { sendAtOnce } from "./single_upload.ts";
import { inTries } from "./tries.ts";

/** Uploads that were given up and still say so to the store. */
export type Cancelling = Set<Promise<void>>;

/** Adds an object, where there is none of its name. */
export function add(
  api: GcsApi,
  object: string,
  upload: Upload,
  tries: TriesSoFar,
  signal: AbortSignal | undefined,
  cancelling: Cancelling,
): Promise<"added" | "exists"> {
  return inTries(api.limits, signal, async () => {
    const ending =
      upload.size > api.limits.partSize
        ? await sentInPieces(new ResumableUpload(api, object, upload, tries, signal), signal, cancelling)
        : await sentAtOnce(api, object, upload, tries, signal);
    if (ending === "added") return "added";
    const found = await look(api, object, signal).catch(throwFinal);
    if (found === undefined) throw new GcsFailure("lostSession", "an object was there, and then it was not");
    // A try whose answer was lost may have stored it.
    const own = upload.metadata["upload"];
    if (own === undefined || found.metadata["upload"] !== own) return "exists";
    await assertSame(api, object, found, upload.size, tries, signal);
    upload.sent?.(upload.size);
    return "added";
  });
}

async function sentAtOnce(
  api: GcsApi,
  object: string,
  upload: Upload,
  tries: TriesSoFar,
  signal: AbortSignal | undefined,
): Promise<Ending> {
  try {
    return await sendAtOnce(api, object, upload, tries, signal);
  } catch (error) {
    if (error instanceof GcsFailure && error.unsure) tries.isSure = false;
    throw error;
  }
}

async function sentInPieces(
  session: ResumableUpload,
  signal: AbortSignal | undefined,
  cancelling: Cancelling,
): Promise<Ending> {
  try {
    return await session.send();
  } catch (error) {
    const cancelled = session.cancel().finally(() => cancelling.delete(cancelled));
    cancelling.add(cancelled);
    // Who gives up does not wait for it.
    if (signal?.aborted !== true) await cancelled;
    // Each piece was tried as often as the limits say. A lost session or changed bytes need all of them again.
    if (error instanceof GcsFailure && (error.kind === "lostSession" || error.kind === "damaged")) throw error;
    throw throwFinal(error);
  }
}
