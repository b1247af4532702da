import { below } from "../values/json_value.ts";
import type { JsonValue } from "../values/json_value.ts";

/** Reason that a text cannot be an id; undefined for a valid id. */
export function idFault(id: string): string | undefined {
  if (id === "") return "an empty id";
  if (id.includes("\0")) return "an id with NUL";
  return id.isWellFormed() ? undefined : "an id with a lone surrogate";
}

/** Pointers of all texts below a value that contain half of a surrogate pair; a key has the pointer of its member. */
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

/** Format of a timestamp. */
interface TimestampFormat {
  /** True if a space replaces `T`. */
  space: boolean;
  /** Number of digits after the second. */
  fraction: number;
  /** True with `Z` or an offset. */
  zone: boolean;
}

const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)([T ])(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)?$/;

/**
 * The format of an ISO 8601 timestamp; undefined for another text, and for a day or an hour that does not exist.
 * @example timestampFormat("2025-12-01T21:36:57.5") // { space: false, fraction: 1, zone: false }
 */
export function timestampFormat(text: string): TimestampFormat | undefined {
  const parts = TIMESTAMP.exec(text);
  if (!parts) return undefined;
  const [year, month, day] = parts.slice(1, 4).map(Number) as [number, number, number];
  const [hour, minute, second] = parts.slice(5, 8).map(Number) as [number, number, number];
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return { space: parts[4] === " ", fraction: parts[8]?.length ?? 0, zone: parts[9] !== undefined };
}

function daysOf(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] as number;
}
