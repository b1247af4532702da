/** Any JSON value. Numbers that a double cannot hold are {@link TaggedNumber}s. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object. Objects from a file have no prototype, so that `__proto__` is an ordinary key. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** A number as decimal text: an integer beyond 2^53, or any other value that a double would change. */
export type TaggedNumber = { $int: string } | { $number: string };

/** True for a JSON object; false for null, arrays and all other values. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for `{"$int": "…"}` and `{"$number": "…"}` without other keys. */
export function isTaggedNumber(value: unknown): value is TaggedNumber {
  if (!isObject(value)) return false;
  for (const key in value) {
    // The first key decides, so that a long object is not listed.
    if (key !== "$int" && key !== "$number") return false;
    return typeof value[key] === "string" && Object.keys(value).length === 1;
  }
  return false;
}

/** The decimal text inside a tagged number. */
export function tokenOf(number: TaggedNumber): string {
  return "$int" in number ? number.$int : number.$number;
}

/** The value at an RFC 6901 pointer, or undefined if it does not exist. `""` is the whole document. */
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

/** Appends a member to a pointer. */
export function below(pointer: string, key: string | number): string {
  const isPlain = typeof key === "number" || !/[~/]/.test(key);
  return `${pointer}/${isPlain ? key : key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
