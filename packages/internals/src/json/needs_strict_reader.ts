import { isExact } from "./exact_numbers.ts";

/**
 * True if `JSON.parse` may read a text incorrectly: it contains a key with an escape, or a number that a double would
 * change. May also be true for strings that look like such numbers, and for text that is not JSON.
 *
 * @param expectsTokens True if the tokens `NaN` and `Infinity` are read. `JSON.parse` fails at them, and V8 keeps each
 *   text at which it fails until the next full garbage collection.
 */
export function needsStrictReader(text: string, expectsTokens = false): boolean {
  return (expectsTokens && mayHaveTokens(text)) || hasEscapedKey(text) || holdsInexactNumber(text);
}

/** Searches for the words first, which is many times faster. Also true for some strings that contain such a word. */
const mayHaveTokens = (text: string): boolean =>
  (text.includes("NaN") || text.includes("Infinity")) && TOKEN.test(text);

/** A token, where a value can be. */
const TOKEN = /(?:^|[:,[])\s*-?(?:NaN|Infinity)/;

const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c];

/** True if a colon follows a string that contains an escape. */
function hasEscapedKey(text: string): boolean {
  for (let at = text.indexOf("\\"); at !== -1; at = text.indexOf("\\", at)) {
    at = endOfString(text, at);
    while (isBlank(text.charCodeAt(at))) at += 1;
    if (text.charCodeAt(at) === COLON) return true;
  }
  return false;
}

/** Index after the string that contains the escape. */
function endOfString(text: string, escape: number): number {
  const quote = text.indexOf('"', escape + 2);
  if (quote === -1) return text.length;
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1;
  // Possibly an escaped quote: check every character.
  let at = escape;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Minimum number of digits of a number that a double may not represent exactly; one may be a decimal point. */
const LONG = 16;

/**
 * Finds numbers with so many digits, and the exponents with three digits, with which a short number may not be exact,
 * either. Each of the first characters is spelled out, so that V8 can skip ahead and test only every eighth character.
 */
const SUSPECTS = new RegExp(`${"[\\d.]".repeat(LONG)}[\\d.]*(?:[eE][+-]?\\d+)?|\\d[eE][+-]?\\d{3}`, "g");

/**
 * The same numbers as a whole. A match must not begin inside a run of digits, which would take quadratic time. What is
 * before the first digit is checked after the digit, so that V8 can skip other characters.
 */
const NUMBERS = new RegExp(
  `[\\d.](?<![\\d.]{2})(?:[\\d.]{${LONG - 1},}(?:[eE][+-]?\\d+)?|[\\d.]*[eE][+-]?\\d{3,})`,
  "g",
);

/** Length up to which all numbers of a text are checked together. A longer text may contain millions. */
const SHORT = 1 << 20;

function holdsInexactNumber(text: string): boolean {
  if (text.length <= SHORT) {
    const suspects = text.match(SUSPECTS);
    if (suspects === null || areWrittenAlike(suspects)) return false;
  }
  for (const [number] of text.matchAll(NUMBERS)) if (!isExact(number)) return true;
  return false;
}

/**
 * True if JavaScript writes each number exactly as its source. Checked in one text, which takes a third less time. Of a
 * number with an exponent, only a part may have been found.
 */
function areWrittenAlike(numbers: string[]): boolean {
  const source = `[${numbers.join(",")}]`;
  if (/e/i.test(source)) return false;
  try {
    return JSON.stringify(JSON.parse(source)) === source;
  } catch {
    // Text that only looks like numbers.
    return false;
  }
}
