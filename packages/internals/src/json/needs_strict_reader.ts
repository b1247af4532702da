import { isExact } from "./exact_numbers.ts";

/**
 * True if `JSON.parse` may read a text wrongly: a key with an escape, or a number that a double would change. May also
 * be true for strings that look like such numbers, and for text that is not JSON.
 *
 * @param bytes The text as UTF-8: some things are seen faster in one form, some in the other.
 */
export function needsStrictReader(bytes: Buffer, text: string): boolean {
  return hasEscapedKey(bytes) || holdsInexactNumber(text) || holdsInexactPower(text);
}

const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c];

/** Looks at strings that hold an escape, and whether a colon comes after them. */
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

/** Offset after the string that contains an escape. */
function endOfString(bytes: Buffer, escape: number): number {
  const quote = bytes.indexOf(QUOTE, escape + 2);
  if (quote === -1) return bytes.length;
  if (bytes[quote - 1] !== BACKSLASH) return quote + 1;
  // Perhaps an escaped quote: that takes a look at every character.
  let at = escape;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

const BLANK = tableOf(" \t\n\r");

/** To ask a table is faster than to compare. */
function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const one of characters) table[one.charCodeAt(0)] = 1;
  return table;
}

/** A double holds every number of fewer digits, unless its exponent has three of them. A point may be among the digits. */
const LONG = 16;
const LONG_EXPONENT = /\d[eE][+-]?\d{3}/;

/** Each of the first characters is spelt out: so V8 looks at every eighth only, until one fits. */
const LONG_NUMBERS = new RegExp(`${"[\\d.]".repeat(LONG)}[\\d.]*(?:[eE][+-]?\\d+)?`, "g");

function holdsInexactNumber(text: string): boolean {
  LONG_NUMBERS.lastIndex = 0;
  // Not all matches at once: there may be millions.
  for (let found = LONG_NUMBERS.exec(text); found !== null; found = LONG_NUMBERS.exec(text))
    if (!isExact(found[0])) return true;
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
