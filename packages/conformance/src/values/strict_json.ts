import type { JsonObject, JsonValue } from "./json_value.ts";
import { numberFromText } from "./numbers.ts";

/** What a strict reading of a JSON text found. `problems` names what other parsers let through. */
export interface StrictReading {
  /** The value; undefined when the text is not JSON at all. */
  value: JsonValue | undefined;
  /** Each defect in one sentence, with line and column. Empty for a clean file. */
  problems: string[];
}

const TOKEN =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))/y;

/**
 * Reads a JSON file as RFC 8259 has it and sees what `JSON.parse` does not: a byte order mark, bytes that are
 * not UTF-8, and keys that occur twice. Numbers keep their exact value.
 */
export function readStrictJson(bytes: Uint8Array): StrictReading {
  const problems: string[] = [];
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { value: undefined, problems: ["the file is not UTF-8"] };
  }
  if (text.startsWith("\uFEFF")) {
    problems.push("the file begins with a byte order mark");
    text = text.slice(1);
  }
  try {
    return { value: new Reader(text, problems).document(), problems };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return { value: undefined, problems: [...problems, error.message] };
  }
}

class NotJson extends Error {}

class Reader {
  readonly text: string;
  readonly problems: string[];
  position = 0;

  constructor(text: string, problems: string[]) {
    this.text = text;
    this.problems = problems;
  }

  document(): JsonValue {
    const value = this.value(this.token());
    if (this.text.slice(this.position).trim() !== "") this.refuse("text after the end of the document");
    return value;
  }

  value(token: string): JsonValue {
    if (token === "{") return this.object();
    if (token === "[") return this.array();
    if (token.startsWith('"')) return JSON.parse(token) as string;
    if (token === "true" || token === "false") return token === "true";
    if (token === "null") return null;
    if (/^[-\d]/.test(token)) return numberFromText(token);
    return this.refuse(`"${token}" where a value is expected`);
  }

  array(): JsonValue[] {
    const items: JsonValue[] = [];
    let token = this.token();
    if (token === "]") return items;
    for (;;) {
      items.push(this.value(token));
      const separator = this.token();
      if (separator === "]") return items;
      if (separator !== ",") this.refuse(`"${separator}" where "," or "]" is expected`);
      token = this.token();
    }
  }

  object(): JsonObject {
    const members = Object.create(null) as JsonObject;
    let token = this.token();
    if (token === "}") return members;
    for (;;) {
      if (!token.startsWith('"')) this.refuse(`"${token}" where a key is expected`);
      const key = JSON.parse(token) as string;
      if (key in members) this.problems.push(`the key ${token} occurs twice in one object (${this.place()})`);
      if (this.token() !== ":") this.refuse(`no ":" after the key ${token}`);
      members[key] = this.value(this.token());
      const separator = this.token();
      if (separator === "}") return members;
      if (separator !== ",") this.refuse(`"${separator}" where "," or "}" is expected`);
      token = this.token();
    }
  }

  token(): string {
    TOKEN.lastIndex = this.position;
    const found = TOKEN.exec(this.text);
    if (!found) {
      this.position += /^[ \t\n\r]*/.exec(this.text.slice(this.position))?.[0].length ?? 0;
      const rest = this.text.slice(this.position, this.position + 20);
      return this.refuse(rest === "" ? "the text ends too early" : `no JSON at ${JSON.stringify(rest)}`);
    }
    this.position = TOKEN.lastIndex;
    return found[1] ?? found[2] ?? found[3] ?? (found[4] as string);
  }

  place(): string {
    const before = this.text.slice(0, this.position);
    return `line ${before.split("\n").length}, column ${before.length - before.lastIndexOf("\n")}`;
  }

  refuse(reason: string): never {
    throw new NotJson(`the file is not JSON: ${reason} (${this.place()})`);
  }
}
