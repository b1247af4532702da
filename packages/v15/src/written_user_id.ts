import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { readWhole } from "@perdura/internals/files/read_bytes.js";
import { decodeJson } from "@perdura/internals/json/decode.js";
import { unlessMissing } from "@perdura/internals/files/missing.js";

/**
 * The `user_id` inside a state file; undefined for a file that is not a JSON object or has no `user_id`. The tokens
 * `NaN` and `Infinity` elsewhere in the file do not matter.
 */
export function writtenUserId(path: string): unknown {
  const bytes = unlessMissing(() => readWhole(path));
  if (bytes === undefined) return undefined;
  try {
    return (decodeJson(bytes, path, "null") as { user_id?: unknown } | null)?.user_id;
  } catch (error) {
    // A damaged file has no readable id. Its name decides.
    if (isPerduraError(error, "PERDURA_JSON_DECODE")) return undefined;
    throw error;
  }
}
