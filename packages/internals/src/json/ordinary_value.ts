import { MAX_DEPTH } from "./values.ts";

/**
 * About how many characters of JSON a value makes, for one that native `JSON.stringify` writes rightly: plain objects,
 * arrays, text, finite numbers. Not a number for any other, which {@link inspectJson} has to look at: that takes several
 * times as long.
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
