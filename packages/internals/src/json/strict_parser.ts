import { isExact } from "./exact_numbers.ts";
import type { NonFinite } from "./load_options.ts";
import { rawNumber } from "./values.ts";

/** A syntax fault and its place. */
export class JsonSyntaxFault extends Error {
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super(reason);
    this.offset = offset;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/**
 * Each expression matches one run: an alternation under a star would overflow the stack of the regular expression
 * engine.
 */
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const BLANK = /[ \t\n\r]*/y;
const LITERALS = [
  ["true", true],
  ["false", false],
  ["null", null],
] as const;

/** Python's json module writes and reads these. */
export const NON_FINITE_TOKENS = ["NaN", "Infinity", "-Infinity"] as const;

/** Reading of these tokens: a replacement, or the numbers that they denote, for a judgement of the text. */
export type TokenReading = NonFinite | "number";

/** The reason why a text with such a token is not JSON. */
export const tokenReason = (token: string): string =>
  `expected a value, found the token ${token}, which is not JSON (the option nonFinite of loadFromJson, loadFromSqlite, load and StateManager reads it)`;

type Container = { kind: "{"; members: Record<string, unknown>; key: string } | { kind: "["; items: unknown[] };

/**
 * A JSON reader (RFC 8259) that keeps every number exactly, reads every key correctly, and reports the position of a
 * fault. `JSON.parse` is many times faster and does none of the three; {@link parseJson} chooses between them.
 * Iterative, so that deep nesting cannot overflow the stack.
 */
export class StrictParser {
  /** True if a token was read that is not JSON. */
  hasTokens = false;
  readonly #text: string;
  readonly #nonFinite: TokenReading | undefined;
  readonly #open: Container[] = [];
  #at = 0;

  /** @param nonFinite Replacement for the tokens `NaN`, `Infinity` and `-Infinity`; without it they are a fault. */
  constructor(text: string, nonFinite?: TokenReading) {
    this.#text = text;
    this.#nonFinite = nonFinite;
  }

  /** @throws JsonSyntaxFault at the first place that is not JSON. */
  parse(): unknown {
    for (;;) {
      this.#match(BLANK);
      const opening = this.#text[this.#at];
      if ((opening === "{" || opening === "[") && this.#opens(opening)) continue;
      let value = opening === "{" || opening === "[" ? this.#emptyContainer(opening) : this.#scalar();
      // A value has ended: add it to its container, close the containers that end here, and find the next value.
      for (;;) {
        this.#match(BLANK);
        const parent = this.#open.at(-1);
        if (parent === undefined) return this.#finish(value);
        setMember(parent, value);
        const close = parent.kind === "{" ? "}" : "]";
        if (this.#text[this.#at] === ",") {
          this.#at += 1;
          if (parent.kind === "{") parent.key = this.#memberName();
          break;
        }
        if (this.#text[this.#at] !== close) throw this.#fault(`expected "," or "${close}", found ${this.#found()}`);
        this.#at += 1;
        this.#open.pop();
        value = parent.kind === "{" ? parent.members : parent.items;
      }
    }
  }

  /** Enters a container that has members. Returns false for an empty one, which ends at once. */
  #opens(opening: "{" | "["): boolean {
    const start = this.#at;
    this.#at += 1;
    this.#match(BLANK);
    if (this.#text[this.#at] === (opening === "{" ? "}" : "]")) {
      this.#at = start;
      return false;
    }
    this.#open.push(opening === "{" ? { kind: "{", members: {}, key: this.#memberName() } : { kind: "[", items: [] });
    return true;
  }

  #emptyContainer(opening: "{" | "["): unknown {
    this.#at += 1;
    this.#match(BLANK);
    this.#at += 1;
    return opening === "{" ? {} : [];
  }

  #scalar(): unknown {
    if (this.#text[this.#at] === '"') return this.#string();
    for (const [word, value] of LITERALS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    const start = this.#at;
    if (this.#text.startsWith("-Infinity", start) || !this.#match(NUMBER)) {
      const token = this.#nonFinite && this.#token();
      if (token === undefined) throw this.#noValue();
      this.#at += token.length;
      this.hasTokens = true;
      return this.#nonFinite === "null" ? null : this.#nonFinite === "text" ? token : Number(token);
    }
    const source = this.#text.slice(start, this.#at);
    // A copy, as of a string: a part of the text would keep all of it in memory.
    return isExact(source) ? Number(source) : rawNumber(JSON.parse(`"${source}"`) as string);
  }

  #memberName(): string {
    this.#match(BLANK);
    if (this.#text[this.#at] !== '"') throw this.#fault(`expected a name in double quotes, found ${this.#found()}`);
    const name = this.#string();
    this.#match(BLANK);
    if (this.#text[this.#at] !== ":") throw this.#fault(`expected ":" after the name, found ${this.#found()}`);
    this.#at += 1;
    return name;
  }

  #string(): string {
    const start = this.#at;
    this.#at += 1;
    for (;;) {
      this.#match(PLAIN);
      const next = this.#text[this.#at];
      if (next === '"') break;
      if (next === undefined) throw this.#fault("the text ends inside a string");
      if (!this.#match(ESCAPE))
        throw this.#fault(next === "\\" ? "unknown escape in a string" : "control character in a string");
    }
    this.#at += 1;
    // A string alone is not a key, so JSON.parse decodes its escapes correctly. A part of the text would keep all of it
    // in memory.
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  #finish(value: unknown): unknown {
    if (this.#at < this.#text.length) throw this.#fault(`expected the end of the text, found ${this.#found()}`);
    return value;
  }

  #token(): string | undefined {
    return NON_FINITE_TOKENS.find((name) => this.#text.startsWith(name, this.#at));
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #found(): string {
    if (this.#at >= this.#text.length) return "the end of the text";
    return JSON.stringify(String.fromCodePoint(this.#text.codePointAt(this.#at) as number));
  }

  #noValue(): JsonSyntaxFault {
    const token = this.#token();
    return this.#fault(token === undefined ? `expected a value, found ${this.#found()}` : tokenReason(token));
  }

  #fault(reason: string): JsonSyntaxFault {
    return new JsonSyntaxFault(reason, this.#at);
  }
}

function setMember(parent: Container, value: unknown): void {
  if (parent.kind === "[") parent.items.push(value);
  else if (parent.key !== "__proto__") parent.members[parent.key] = value;
  // An assignment would set the prototype.
  else
    Object.defineProperty(parent.members, parent.key, { value, writable: true, enumerable: true, configurable: true });
}

/** Line and column (both from 1) of an offset; `\n`, `\r\n` and a single `\r` end a line. */
export function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|[\r\n]/);
  return { line: before.length, column: (before.at(-1) as string).length + 1 };
}
