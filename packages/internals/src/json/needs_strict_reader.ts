import { isExact } from "./exact_numbers.ts";

/**
 * Tells whether text holds what `JSON.parse` would read wrongly: a key with an escape, or a number that a double
 * would change. For strings that look like such numbers, and for text that is not JSON, it may say so too.
 *
 * @param bytes The text as UTF-8: some things are seen faster in one form, some in the other.
 */
export function needsStrictReader(bytes: Buffer, text: string): boolean {
  return hasEscapedKey(bytes) || holdsInexactNumber(bytes) || holdsInexactPower(text);
}

const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c];

/** Looks at strings that hold an escape, and whether a colon comes after them. */
function hasEscapedKey(bytes: Buffer): boolean {
  const end = bytes.length;
  for (let at = bytes.indexOf(BACKSLASH); at !== -1; at = bytes.indexOf(BACKSLASH, at)) {
    while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    at += 1;
    while (at < end && BLANK[bytes[at] as number] === 1) at += 1;
    if (at >= end) return false;
    if (bytes[at] === COLON) return true;
  }
  return false;
}

const BLANK = tableOf(" \t\n\r");
const DIGIT = tableOf("0123456789");
const DIGIT_OR_POINT = tableOf("0123456789.");
const SIGN = tableOf("+-");
const E = tableOf("eE");

/** To ask a table is faster than to compare; and none of the loops looks beyond the bytes, which would be slow. */
function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const one of characters) table[one.charCodeAt(0)] = 1;
  return table;
}

function isIn(table: Uint8Array, bytes: Buffer, at: number): boolean {
  return at >= 0 && at < bytes.length && table[bytes[at] as number] === 1;
}

/** A double holds every number of so many digits, unless its exponent has three of them. */
const SAFE_DIGITS = 15;
const LONG_EXPONENT = /\d[eE][+-]?\d{3}/;

/**
 * A number that a double would change has 16 digits or more (a point may be among them), or an exponent of three. So it
 * is enough to look at every 16th byte: any run of so many digits covers one of those.
 */
function holdsInexactNumber(bytes: Buffer): boolean {
  const end = bytes.length;
  for (let at = SAFE_DIGITS; at < end; at += SAFE_DIGITS + 1) {
    if (DIGIT_OR_POINT[bytes[at] as number] === 0) continue;
    const start = startOfRun(bytes, at);
    while (at + 1 < end && DIGIT_OR_POINT[bytes[at + 1] as number] === 1) at += 1;
    if (at + 1 - start > SAFE_DIGITS && !isExact(numberAt(bytes, start))) return true;
  }
  return false;
}

/** The same for numbers with a long exponent, which are rare: their digits may be few. */
function holdsInexactPower(text: string): boolean {
  if (!LONG_EXPONENT.test(text)) return false;
  for (const [power] of text.matchAll(POWERS)) if (!isExact(power)) return true;
  return false;
}

/** Not from within a run of digits: a long one would be gone through again from each of them. */
const POWERS = /(?<![\d.])[\d.]+[eE][+-]?\d{3,}/g;

/** The first of the digits and points that stand in a row up to `at`. */
function startOfRun(bytes: Buffer, at: number): number {
  let start = at;
  while (isIn(DIGIT_OR_POINT, bytes, start - 1)) start -= 1;
  return start;
}

/** The number without its sign, which says nothing about exactness. */
function numberAt(bytes: Buffer, start: number): string {
  let end = endOfRun(DIGIT_OR_POINT, bytes, start);
  if (isIn(E, bytes, end)) {
    const exponent = end + (isIn(SIGN, bytes, end + 1) ? 2 : 1);
    if (isIn(DIGIT, bytes, exponent)) end = endOfRun(DIGIT, bytes, exponent);
  }
  return bytes.toString("latin1", start, end);
}

function endOfRun(table: Uint8Array, bytes: Buffer, start: number): number {
  let end = start;
  while (isIn(table, bytes, end)) end += 1;
  return end;
}
