import { below } from "./json_value.ts";
import type { JsonObject, JsonValue } from "./json_value.ts";
import { numberFromText } from "./numbers.ts";

/** The text is not JSON from `offset` on. */
export class NotJson extends Error {
  readonly offset: number;
  constructor(reason: string, offset: number) {
    super(reason);
    this.offset = offset;
  }
}

/** The text may be JSON, but is nested too deeply to be read. */
export class TooDeep extends NotJson {}

/** Options of a reading, with callbacks for values and repeated keys. */
interface Reading {
  /** True for numbers as doubles and ordinary objects, like `JSON.parse`. */
  plain?: boolean;
  /** Called for a key that its object already has; `offset` is that of the later one. */
  repeated?(key: string, offset: number): void;
  /**
   * Called for every value with its JSON Pointer, and the offset of its key if it has one. Pointers are built only for
   * this callback.
   */
  value?(pointer: string, offset: number, key: number | undefined): void;
}

/** Maximum nesting of arrays and objects. Widespread parsers, including SQLite's, have a similar limit. */
const DEEPEST = 1000;

/** Maximum length of a number for which it is checked whether a double holds it exactly. */
const LONGEST_DOUBLE = 1000;

/**
 * Reads one JSON text according to RFC 8259. Numbers keep their exact value and objects have no prototype, except with
 * `plain`.
 * @throws {NotJson} when the text is not JSON, or nested deeper than {@link DEEPEST}.
 */
export function readJsonText(text: string, reading: Reading = {}): JsonValue {
  const reader = new Reader(text, reading);
  const value = reader.value(reader.tokens.next(), 0, reading.value ? "" : undefined, undefined);
  if (!reader.tokens.ended()) throw new NotJson("text after the end of the document", reader.tokens.position);
  return value;
}

/**
 * Reads a JSON text with the parser of V8, several times as fast, if the result is certainly that of {@link readJsonText}:
 * no escape, no repeated key, no number that a double may change, and not too deep.
 * @returns undefined for every other text.
 */
export function readOrdinaryJson(text: string): JsonValue | undefined {
  if (text.includes("\\")) return undefined;
  // Texts may have what looks like an unusual number.
  const mayBeUnusual = UNUSUAL_NUMBER.test(text);
  let keys = 0;
  let outside = 0;
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', outside)) {
    if (mayBeUnusual && UNUSUAL_NUMBER.test(text.slice(outside, start))) return undefined;
    const end = text.indexOf('"', start + 1);
    if (end === -1) return undefined;
    outside = end + 1;
    if (isBeforeColon(text, outside)) keys += 1;
  }
  if (mayBeUnusual && UNUSUAL_NUMBER.test(text.slice(outside))) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  return keysOf(value, 0) === keys ? value : undefined;
}

/** A number of more than 14 digits, or with an exponent. */
const UNUSUAL_NUMBER = /\d[\d.]{14}|\d[eE]/;

/** True if the next character that is not blank is a colon: then a string before it is a key. */
function isBeforeColon(text: string, offset: number): boolean {
  let next = offset;
  while (isBlank(text.charCodeAt(next))) next += 1;
  return text[next] === ":";
}

/** True if a key contains an escape. The text need not be JSON. */
export function hasEscapedKey(text: string): boolean {
  let escape = text.indexOf("\\");
  while (escape !== -1) {
    // An escape is inside a string; the string ends at the next quote that is not escaped.
    let end = escape;
    while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
    if (isBeforeColon(text, end + 1)) return true;
    escape = text.indexOf("\\", end + 1);
  }
  return false;
}

/** Number of keys in a value, whose objects lose their prototype; NaN if it is nested too deeply. */
function keysOf(value: JsonValue, depth: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth === DEEPEST) return NaN;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += keysOf(item, depth + 1);
    return count;
  }
  Object.setPrototypeOf(value, null);
  for (const key in value) count += 1 + keysOf(value[key] as JsonValue, depth + 1);
  return count;
}

class Reader {
  readonly tokens: JsonTokens;
  readonly reading: Reading;

  constructor(text: string, reading: Reading) {
    this.tokens = new JsonTokens(text);
    this.reading = reading;
  }

  /** @param at the pointer of the value; undefined if pointers are not needed. */
  value(token: string, depth: number, at: string | undefined, key: number | undefined): JsonValue {
    if (at !== undefined) this.reading.value?.(at, this.tokens.start, key);
    if (token === "{" || token === "[") {
      if (depth === DEEPEST)
        throw new TooDeep(
          `arrays and objects are nested deeper than ${DEEPEST} levels, which few parsers accept`,
          this.tokens.start,
        );
      return token === "{" ? this.object(depth + 1, at) : this.array(depth + 1, at);
    }
    if (token.startsWith('"')) return this.tokens.string;
    if (token === "true" || token === "false") return token === "true";
    if (token === "null") return null;
    if (!/^[-\d]/.test(token)) return this.tokens.refuse(`expected a value, got "${token}"`);
    if (this.reading.plain === true) return Number(token);
    if (token.length <= LONGEST_DOUBLE) return numberFromText(token);
    return /^-?\d+$/.test(token) ? { $int: token } : { $number: token };
  }

  array(depth: number, at: string | undefined): JsonValue[] {
    const items: JsonValue[] = [];
    let token = this.tokens.next();
    if (token === "]") return items;
    for (;;) {
      items.push(this.value(token, depth, at === undefined ? undefined : below(at, items.length), undefined));
      const separator = this.tokens.next();
      if (separator === "]") return items;
      if (separator !== ",") this.tokens.refuse(`expected "," or "]", got ${quoted(separator)}`);
      token = this.tokens.next();
    }
  }

  object(depth: number, at: string | undefined): JsonObject {
    const members = (this.reading.plain === true ? {} : Object.create(null)) as JsonObject;
    let token = this.tokens.next();
    if (token === "}") return members;
    for (;;) {
      if (!token.startsWith('"')) this.tokens.refuse(`expected a key, got ${quoted(token)}`);
      const key = this.tokens.string;
      const keyStart = this.tokens.start;
      if (Object.hasOwn(members, key)) this.reading.repeated?.(key, keyStart);
      if (this.tokens.next() !== ":") this.tokens.refuse(`expected ":" after the key ${quoted(token)}`);
      const value = this.value(this.tokens.next(), depth, at === undefined ? undefined : below(at, key), keyStart);
      // On an object with a prototype, an assignment to `__proto__` would replace the prototype.
      if (key === "__proto__")
        Object.defineProperty(members, key, { value, enumerable: true, writable: true, configurable: true });
      else members[key] = value;
      const separator = this.tokens.next();
      if (separator === "}") return members;
      if (separator !== ",") this.tokens.refuse(`expected "," or "}", got ${quoted(separator)}`);
      token = this.tokens.next();
    }
  }
}

function quoted(token: string): string {
  return token.startsWith('"') ? `the string ${token.length > 60 ? `${token.slice(0, 60)}…` : token}` : `"${token}"`;
}

const PUNCTUATION = "{}[],:";
const TOKEN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** The inside of a string whose value is its source text. */
const UNESCAPED = /^[^\\\u0000-\u001f]*$/;
const STRING_PART = /[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Splits a JSON text into tokens. */
class JsonTokens {
  readonly text: string;
  position = 0;
  /** Offset of the current token. */
  start = 0;
  /** The value of the current token, if it is a string. */
  string = "";

  constructor(text: string) {
    this.text = text;
  }

  /** True if only blanks are left. */
  ended(): boolean {
    return this.#skipBlanks() === this.text.length;
  }

  #skipBlanks(): number {
    while (isBlank(this.text.charCodeAt(this.position))) this.position += 1;
    return this.position;
  }

  /**
   * The source text of the next token.
   * @throws {NotJson} when the text has no further token.
   */
  next(): string {
    this.start = this.#skipBlanks();
    const first = this.text[this.start];
    if (first === '"') return this.#string();
    if (first !== undefined && PUNCTUATION.includes(first)) {
      this.position += 1;
      return first;
    }
    TOKEN.lastIndex = this.start;
    const found = TOKEN.exec(this.text);
    if (!found) {
      const rest = this.text.slice(this.start, this.start + 20);
      return this.refuse(rest === "" ? "the text ends too early" : `unexpected text ${JSON.stringify(rest)}`);
    }
    this.position = TOKEN.lastIndex;
    return found[0];
  }

  /** Without a regular expression, which would exhaust the stack for strings of a few megabytes. */
  #string(): string {
    let end = this.text.indexOf('"', this.start + 1);
    while (end !== -1 && this.#isEscaped(end)) end = this.text.indexOf('"', end + 1);
    const token = this.text.slice(this.start, end === -1 ? undefined : end + 1);
    const inside = this.text.slice(this.start + 1, end === -1 ? undefined : end);
    if (end !== -1 && UNESCAPED.test(inside)) {
      this.string = inside;
    } else {
      try {
        this.string = JSON.parse(token) as string;
      } catch {
        // The messages of JSON.parse differ between versions of Node.js, so our own message is used.
        this.#refuseString(token);
      }
    }
    this.position = end + 1;
    return token;
  }

  #isEscaped(quote: number): boolean {
    let before = quote;
    while (this.text[before - 1] === "\\") before -= 1;
    return (quote - before) % 2 === 1;
  }

  #refuseString(token: string): never {
    STRING_PART.lastIndex = 1;
    let reached = 1;
    while (STRING_PART.test(token)) reached = STRING_PART.lastIndex;
    const rest = token.slice(reached, reached + 20);
    throw rest === ""
      ? new NotJson("the string is not closed", this.start)
      : new NotJson(`invalid text in a string: ${JSON.stringify(rest)}`, this.start + reached);
  }

  /** Reports that the current token is not allowed at its place. */
  refuse(reason: string): never {
    throw new NotJson(reason, this.start);
  }
}

/** True for the code of a space, a tab or a line end, the blanks of JSON. */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
