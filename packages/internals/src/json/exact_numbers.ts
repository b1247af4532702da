import { isRawNumber, rawNumber } from "./values.ts";

/**
 * Numbers beyond double precision survive a round trip (ruling U-numbers): a number that a double would change is kept
 * as its source text. Only a text with such a number is slower to read; see {@link needsStrictReader}.
 */

/** True if the double that `source` denotes is written as the same decimal number. */
export function isExact(source: string): boolean {
  const value = Number(source);
  if (!Number.isFinite(value)) return false;
  const written = String(value);
  return written === source || canonical(source) === canonical(written);
}

/**
 * A decimal number as `digits` × 10^`exponent` without leading or trailing zeros, so that equal numbers give equal
 * text.
 */
function canonical(source: string): string {
  const [mantissa = "", exponentText = "0"] = source.replace("-", "").toLowerCase().split("e");
  const exponentSign = source.toLowerCase().includes("e-") ? -1 : 1;
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = withoutTrailingZeros(digits);
  if (significant === "") return "0";
  const exponent = exponentSign * Number(exponentText.replace(/[+-]/, "")) - fraction.length;
  return `${significant}e${exponent + digits.length - significant.length}`;
}

/** Removes zeros at the end. A regular expression would take quadratic time for long runs of zeros. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return digits.slice(0, end);
}

const ZERO = 0x30;

/**
 * Writes a value as JSON, including what native `JSON.stringify` loses: the sign of `-0`, and `bigint` as an integer.
 * Slower than the native writer: use it only if {@link inspectJson} requires it.
 */
export function stringifyExact(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    function exact(this: Record<string, unknown>, key: string, member: unknown): unknown {
      // The original value: `value` may already be the result of `BigInt.prototype.toJSON`, a common polyfill.
      const own = this[key];
      if (typeof own === "bigint") return rawNumber(String(own));
      return Object.is(member, -0) ? rawNumber("-0.0") : member;
    },
    indent,
  );
}

/** The nearest double of a number that may have been kept as text. */
export function toDouble(value: unknown): unknown {
  return isRawNumber(value) ? Number(value.rawJSON) : value;
}
