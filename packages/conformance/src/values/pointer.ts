import { isObject } from "./json_value.ts";
import type { JsonValue } from "./json_value.ts";

/** The value that an RFC 6901 pointer names, or undefined where there is none. `""` is the whole document. */
export function valueAt(document: JsonValue | undefined, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
    else if (isObject(value)) value = Object.hasOwn(value, key) ? value[key] : undefined;
    else return undefined;
  }
  return value;
}

/** A pointer one member deeper. */
export function below(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
