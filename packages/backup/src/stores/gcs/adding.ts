import type { Upload } from "../object_store.ts";
import type { GcsApi } from "./api.ts";
import { GcsFailure } from "./failures.ts";
import { look } from "./reading.ts";
import { ResumableUpload } from "./resumable_upload.ts";
import { sendAtOnce } from "./single_upload.ts";
import type { Ending } from "./sent_object.ts";
import { inTries } from "./tries.ts";

/** Uploads that were given up and still say so to the store. */
export type Cancelling = Set<Promise<void>>;

/** Whether nothing can have been stored, for the message of a failure. */
export interface Fate {
  isSure: boolean;
}

/** Adds an object, where there is none of its name. */
export function add(
  api: GcsApi,
  object: string,
  upload: Upload,
  signal: AbortSignal | undefined,
  cancelling: Cancelling,
  fate: Fate,
): Promise<"added" | "exists"> {
  return inTries(api.limits, signal, async () => {
    const ending = await sent(api, object, upload, signal, cancelling, fate);
    if (ending === "added") return "added";
    const found = await look(api, object, signal);
    if (found === undefined) throw new GcsFailure("lostSession", "an object was there, and then it was not");
    // A try whose answer was lost may have stored it.
    const own = upload.metadata["upload"];
    return own !== undefined && found.metadata["upload"] === own ? "added" : "exists";
  });
}

async function sent(
  api: GcsApi,
  object: string,
  upload: Upload,
  signal: AbortSignal | undefined,
  cancelling: Cancelling,
  fate: Fate,
): Promise<Ending> {
  if (upload.size <= api.limits.partSize) {
    try {
      return await sendAtOnce(api, object, upload, signal);
    } catch (error) {
      if (error instanceof GcsFailure && error.unsure) fate.isSure = false;
      throw error;
    }
  }
  const session = new ResumableUpload(api, object, upload, signal);
  try {
    return await session.send();
  } catch (error) {
    if (session.mayBeWhole) fate.isSure = false;
    const cancelled = session.cancel().finally(() => cancelling.delete(cancelled));
    cancelling.add(cancelled);
    // Who gives up does not wait for it.
    if (signal?.aborted !== true) await cancelled;
    throw triedAlready(error);
  }
}

/** What was tried as often as the limits say is not sent again as a whole; a lost session or changed bytes need that. */
function triedAlready(error: unknown): unknown {
  if (!(error instanceof GcsFailure) || error.kind === "lostSession" || error.kind === "damaged") return error;
  return error.final();
}
