import { isTaggedNumber, tokenOf } from "./json_value.ts";
import type { TaggedNumber } from "./json_value.ts";

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * One spelling for every decimal text of the same value: `1`, `1.0` and `10e-1` all give `1e0`. Text that is not a
 * decimal number (`NaN`, `Infinity`) is returned unchanged.
 */
export function canonicalDecimal(text: string): string {
  const parts = DECIMAL.exec(text);
  if (!parts) return text;
  const fraction = parts[3] ?? "";
  let exponent = BigInt(parts[4] ?? "0") - BigInt(fraction.length);
  const digits = `${parts[2]}${fraction}`.replace(/^0+/, "");
  if (digits === "") return "0";
  let end = digits.length;
  // A regular expression for trailing zeros would need quadratic time for long runs of zeros.
  while (digits[end - 1] === "0") end -= 1;
  const significant = digits.slice(0, end);
  exponent += BigInt(digits.length - significant.length);
  return `${parts[1] === "-" ? "-" : ""}${significant}e${exponent}`;
}

/** A number without an exponent; a double holds every one of at most 15 digits exactly enough to give it back. */
const PLAIN = /^-?\d+(?:\.\d+)?$/;

/** The value of a number token: a plain number if it is exact, else a {@link TaggedNumber}. */
export function numberFromText(text: string): number | TaggedNumber {
  const value = Number(text);
  if (text.length <= 15 && PLAIN.test(text)) return value;
  if (Number.isFinite(value) && canonicalDecimal(String(value)) === canonicalDecimal(text)) return value;
  return /^[+-]?\d+$/.test(text) ? { $int: text } : { $number: text };
}

/** A `bigint` in the protocol's form: a plain number if it is a safe integer. */
export function numberFromBigInt(value: bigint): number | TaggedNumber {
  const plain = Number(value);
  return Number.isSafeInteger(plain) ? plain : { $int: String(value) };
}

/** A double in the protocol's form: JSON cannot express NaN and the infinities. */
export function numberFromDouble(value: number): number | TaggedNumber {
  return Number.isFinite(value) ? value : { $number: String(value) };
}

/** True for a plain or a tagged number. */
export function isNumber(value: unknown): value is number | TaggedNumber {
  return typeof value === "number" || isTaggedNumber(value);
}

/**
 * Equality by value. An expected double accepts every decimal text that reads as that double (`0.1` and
 * `0.1000000000000000055`), but a whole number beyond 2^53 must be exact: there, rounding is loss of data.
 */
export function sameNumber(expected: number | TaggedNumber, actual: number | TaggedNumber): boolean {
  if (typeof expected === "number" && typeof actual === "number") return expected === actual;
  const wanted = textOf(expected);
  const got = textOf(actual);
  if (canonicalDecimal(wanted) === canonicalDecimal(got)) return true;
  if (typeof expected !== "number") return false;
  return !/^[+-]?\d+$/.test(got) && Number(got) === expected;
}

/** The nearest double, for ordering and tolerances. */
export function toDouble(number: number | TaggedNumber): number {
  return Number(textOf(number));
}

function textOf(number: number | TaggedNumber): string {
  return typeof number === "number" ? String(number) : tokenOf(number);
}
