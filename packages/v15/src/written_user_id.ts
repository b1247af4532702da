import { readFileSync } from "node:fs";
import { unlessMissing } from "./missing.ts";

/** The `user_id` inside a state file; undefined for a file that is not a JSON object or has no `user_id`. */
export function writtenUserId(path: string): unknown {
  const text = unlessMissing(() => readFileSync(path, "utf8"));
  if (text === undefined) return undefined;
  try {
    return (JSON.parse(text) as { user_id?: unknown } | null)?.user_id;
  } catch {
    // A damaged file has no readable id. Its name decides.
    return undefined;
  }
}
