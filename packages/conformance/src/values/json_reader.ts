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

/** The text may be JSON, and is nested deeper than is read. */
export class TooDeep extends NotJson {}

/** How a text is read, and who hears of values and repeated keys meanwhile. */
interface Reading {
  /** Numbers are doubles, and objects ordinary ones, as `JSON.parse` makes them. */
  plain?: boolean;
  /** A key that its object has already; `offset` is that of the later one. */
  repeated?(key: string, offset: number): void;
  /** Every value with its JSON Pointer, and the offset of its key where it has one. Only where this is given are pointers made. */
  value?(pointer: string, offset: number, key: number | undefined): void;
}

/** Levels of arrays and objects that are read. Widespread parsers, SQLite's own among them, stop at about as many. */
const DEEPEST = 1000;

/** Digits up to which it is worth asking whether a double holds the number as it is. */
const LONGEST_DOUBLE = 1000;

/**
 * Reads one JSON text by RFC 8259. Numbers keep their exact value and objects have no prototype, unless all is to be plain.
 * @throws {NotJson} where the text is not JSON, or nested deeper than {@link DEEPEST}.
 */
export function readJsonText(text: string, reading: Reading = {}): JsonValue {
  const reader = new Reader(text, reading);
  const value = reader.value(reader.tokens.next(), 0, reading.value ? "" : undefined, undefined);
  if (!reader.tokens.ended()) throw new NotJson("text after the end of the document", reader.tokens.position);
  return value;
}

class Reader {
  readonly tokens: JsonTokens;
  readonly reading: Reading;

  constructor(text: string, reading: Reading) {
    this.tokens = new JsonTokens(text);
    this.reading = reading;
  }

  /** @param at the pointer of the value, undefined where nobody asks for pointers. */
  value(token: string, depth: number, at: string | undefined, key: number | undefined): JsonValue {
    if (at !== undefined) this.reading.value?.(at, this.tokens.start, key);
    if (token === "{" || token === "[") {
      if (depth === DEEPEST)
        throw new TooDeep(
          `arrays and objects are nested deeper than ${DEEPEST} levels, which few parsers read`,
          this.tokens.start,
        );
      return token === "{" ? this.object(depth + 1, at) : this.array(depth + 1, at);
    }
    if (token.startsWith('"')) return JSON.parse(token) as string;
    if (token === "true" || token === "false") return token === "true";
    if (token === "null") return null;
    if (!/^[-\d]/.test(token)) return this.tokens.refuse(`"${token}" where a value is expected`);
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
      if (separator !== ",") this.tokens.refuse(`${quoted(separator)} where "," or "]" is expected`);
      token = this.tokens.next();
    }
  }

  object(depth: number, at: string | undefined): JsonObject {
    const members = (this.reading.plain === true ? {} : Object.create(null)) as JsonObject;
    let token = this.tokens.next();
    if (token === "}") return members;
    for (;;) {
      if (!token.startsWith('"')) this.tokens.refuse(`${quoted(token)} where a key is expected`);
      const key = JSON.parse(token) as string;
      const keyStart = this.tokens.start;
      if (Object.hasOwn(members, key)) this.reading.repeated?.(key, keyStart);
      if (this.tokens.next() !== ":") this.tokens.refuse(`no ":" after the key ${quoted(token)}`);
      const value = this.value(this.tokens.next(), depth, at === undefined ? undefined : below(at, key), keyStart);
      // Where there is a prototype, to assign this one would replace it.
      if (key === "__proto__")
        Object.defineProperty(members, key, { value, enumerable: true, writable: true, configurable: true });
      else members[key] = value;
      const separator = this.tokens.next();
      if (separator === "}") return members;
      if (separator !== ",") this.tokens.refuse(`${quoted(separator)} where "," or "}" is expected`);
      token = this.tokens.next();
    }
  }
}

function quoted(token: string): string {
  return token.startsWith('"') ? `the text ${token.length > 60 ? `${token.slice(0, 60)}…` : token}` : `"${token}"`;
}

const BLANK = /[ \t\n\r]*/y;
const TOKEN = /[{}[\],:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const STRING_PART = /[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Cuts a JSON text into its tokens, one after the other. */
class JsonTokens {
  readonly text: string;
  position = 0;
  /** Where the newest token begins. */
  start = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** True when nothing but blanks is left. */
  ended(): boolean {
    return this.#skipBlanks() === this.text.length;
  }

  #skipBlanks(): number {
    BLANK.lastIndex = this.position;
    BLANK.exec(this.text);
    this.position = BLANK.lastIndex;
    return this.position;
  }

  /**
   * The next token, as it is written.
   * @throws {NotJson} where there is none.
   */
  next(): string {
    this.start = this.#skipBlanks();
    if (this.text[this.start] === '"') return this.#string();
    TOKEN.lastIndex = this.start;
    const found = TOKEN.exec(this.text);
    if (!found) {
      const rest = this.text.slice(this.start, this.start + 20);
      return this.refuse(rest === "" ? "the text ends too early" : `no JSON at ${JSON.stringify(rest)}`);
    }
    this.position = TOKEN.lastIndex;
    return found[0];
  }

  /** By hand, because an expression for whole strings exhausts the stack at a few megabytes. */
  #string(): string {
    let end = this.text.indexOf('"', this.start + 1);
    while (end !== -1 && this.#isEscaped(end)) end = this.text.indexOf('"', end + 1);
    const token = this.text.slice(this.start, end === -1 ? undefined : end + 1);
    try {
      JSON.parse(token);
    } catch {
      // Only what is wrong, and where, is said by us: the messages of JSON.parse differ between versions of Node.
      this.#refuseString(token);
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
      ? new NotJson("a text that does not end", this.start)
      : new NotJson(`no JSON text at ${JSON.stringify(rest)}`, this.start + reached);
  }

  /** Says that the newest token cannot stand where it stands. */
  refuse(reason: string): never {
    throw new NotJson(reason, this.start);
  }
}
