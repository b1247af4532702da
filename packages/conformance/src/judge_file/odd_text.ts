import type { JsonValue } from "../values/json_value.ts";
import { below } from "../values/pointer.ts";

/** Why a text is no fit id, in words; undefined when it is one. */
export function idFault(id: string): string | undefined {
  if (id === "") return "it is empty";
  if (id.includes("\0")) return "it holds a NUL";
  return id.isWellFormed() ? undefined : "it holds half of a surrogate pair";
}

/** The pointers of all texts below a value that hold half of a surrogate pair; a key counts for its member. */
export function* halfPairs(value: JsonValue, at: string): Generator<string> {
  if (typeof value === "string") {
    if (!value.isWellFormed()) yield at;
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const place = below(at, key);
    if (key.isWellFormed()) yield* halfPairs(member, place);
    else yield place;
  }
}
