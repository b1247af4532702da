import { isRawNumber, rawNumber } from "./values.ts";

/**
 * Numbers beyond double precision survive a round trip (ruling U-numbers): what a double would change is kept as its
 * source text. Only a text that really holds such a number pays for it; see {@link needsStrictReader}.
 */

/** True when writing the double that `source` denotes gives the same decimal number back. */
export function isExact(source: string): boolean {
  const value = Number(source);
  if (!Number.isFinite(value)) return false;
  const written = String(value);
  return written === source || canonical(source) === canonical(written);
}

/** A decimal number as `digits` × 10^`exponent` without leading or trailing zeros: equal numbers give equal text. */
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

/** By hand: an expression for zeros at the end would try each run of zeros from each of its zeros. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return digits.slice(0, end);
}

const ZERO = 0x30;

/**
 * Writes a value as JSON with what native `JSON.stringify` loses: the sign of `-0`, and `bigint` as an integer.
 * Slower than the native writer: use it only if {@link inspectJson} requires it.
 */
export function stringifyExact(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    function exact(this: Record<string, unknown>, key: string, member: unknown): unknown {
      // What `BigInt.prototype.toJSON`, a common polyfill, has not touched yet.
      const own = this[key];
      if (typeof own === "bigint") return rawNumber(String(own));
      return Object.is(member, -0) ? rawNumber("-0.0") : member;
    },
    indent,
  );
}

/** The double nearest to a number that may have been kept as text. */
export function toDouble(value: unknown): unknown {
  return isRawNumber(value) ? Number(value.rawJSON) : value;
}
