import { isPerduraError } from "../errors/errors.ts";
import { decodeJson } from "../json/decode.ts";

/**
 * The `user_id` inside a state; undefined for bytes that are not a JSON object or have no `user_id`. The tokens `NaN` and
 * `Infinity` elsewhere in the document do not matter.
 */
export function writtenUserId(bytes: Uint8Array, path: string): unknown {
  try {
    return (decodeJson(bytes, path, "null") as { user_id?: unknown } | null)?.user_id;
  } catch (error) {
    // A damaged file has no readable id. Its name decides.
    if (isPerduraError(error, "PERDURA_JSON_DECODE")) return undefined;
    throw error;
  }
}
