import { isExact } from "./exact_numbers.ts";

/**
 * True if `JSON.parse` may read a text incorrectly: it contains a key with an escape, or a number that a double would
 * change. May also be true for strings that look like such numbers, and for text that is not JSON.
 *
 * @param bytes The text as UTF-8: some searches are faster in the bytes, others in the string.
 */
export function needsStrictReader(bytes: Buffer, text: string): boolean {
  return hasEscapedKey(bytes) || holdsInexactNumber(text) || holdsInexactPower(text);
}

const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c];

/** True if a colon follows a string that contains an escape. */
function hasEscapedKey(bytes: Buffer): boolean {
  const end = bytes.length;
  for (let at = bytes.indexOf(BACKSLASH); at !== -1; at = bytes.indexOf(BACKSLASH, at)) {
    at = endOfString(bytes, at);
    while (at < end && BLANK[bytes[at] as number] === 1) at += 1;
    if (at >= end) return false;
    if (bytes[at] === COLON) return true;
  }
  return false;
}

/** Index after the string that contains the escape. */
function endOfString(bytes: Buffer, escape: number): number {
  const quote = bytes.indexOf(QUOTE, escape + 2);
  if (quote === -1) return bytes.length;
  if (bytes[quote - 1] !== BACKSLASH) return quote + 1;
  // Possibly an escaped quote: check every character.
  let at = escape;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

const BLANK = tableOf(" \t\n\r");

/** A table look-up is faster than comparisons. */
function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const one of characters) table[one.charCodeAt(0)] = 1;
  return table;
}

/**
 * Minimum number of digits of a number that a double may not represent exactly, unless its exponent has three digits.
 * One of them may be a decimal point.
 */
const LONG = 16;
const LONG_EXPONENT = /\d[eE][+-]?\d{3}/;

/** Each of the first characters is spelled out, so that V8 can skip ahead and test only every eighth character. */
const LONG_NUMBERS = new RegExp(`${"[\\d.]".repeat(LONG)}[\\d.]*(?:[eE][+-]?\\d+)?`, "g");

function holdsInexactNumber(text: string): boolean {
  LONG_NUMBERS.lastIndex = 0;
  // One match at a time: there may be millions.
  for (let found = LONG_NUMBERS.exec(text); found !== null; found = LONG_NUMBERS.exec(text))
    if (!isExact(found[0])) return true;
  return false;
}

/** Checks numbers with a long exponent, which are rare and may have few digits. */
function holdsInexactPower(text: string): boolean {
  if (!LONG_EXPONENT.test(text)) return false;
  for (const [power] of text.matchAll(POWERS)) if (!isExact(power)) return true;
  return false;
}

/** A match must not begin inside a run of digits; otherwise a long run would take quadratic time. */
const POWERS = /(?<![\d.])[\d.]+[eE][+-]?\d{3,}/g;
