import { MAX_DEPTH } from "./values.ts";

/**
 * Approximate number of characters of the JSON text of a value that native `JSON.stringify` writes correctly: plain
 * objects, arrays, text, finite numbers. NaN for any other value, which {@link inspectJson} has to check; that takes
 * several times as long.
 */
export function ordinaryLength(value: unknown, depth: number = 0): number {
  switch (typeof value) {
    case "string":
      return value.length + 2;
    case "boolean":
      return 5;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? 8 : Number.NaN;
    case "object":
      if (value === null) return 4;
      return depth < MAX_DEPTH && isOrdinaryContainer(value) ? containerLength(value, depth + 1) : Number.NaN;
    default:
      return Number.NaN;
  }
}

function isOrdinaryContainer(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  const expected = Array.isArray(value) ? Array.prototype : Object.prototype;
  return prototype === expected && (value as { toJSON?: unknown }).toJSON === undefined;
}

function containerLength(value: object, depth: number): number {
  let length = 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) length += ordinaryLength(value[index], depth) + 2;
    return length;
  }
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) length += key.length + ordinaryLength(member, depth) + 6;
  }
  return length;
}
