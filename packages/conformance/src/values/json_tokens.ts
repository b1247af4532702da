/** The text is not JSON from `offset` on. */
export class NotJson extends Error {
  readonly offset: number;
  constructor(reason: string, offset: number) {
    super(reason);
    this.offset = offset;
  }
}

const BLANK = /[ \t\n\r]*/y;
const TOKEN = /[{}[\],:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const STRING_PART = /[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Cuts a JSON text into its tokens, one after the other. */
export class JsonTokens {
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
