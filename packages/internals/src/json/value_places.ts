import { NON_FINITE_TOKENS } from "./strict_parser.ts";

/** Place of a value in JSON text whose characters are bytes. */
export interface ValuePlace {
  path: readonly string[];
  start: number;
  /** Offset after its last byte. */
  end: number;
  /** Offset of the name of a member; that of the value otherwise. */
  nameStart: number;
  nameEnd: number;
  /** `NaN`, `Infinity` or `-Infinity`; undefined for other values. */
  token: string | undefined;
}

const TOKENS: ReadonlySet<string> = new Set(NON_FINITE_TOKENS);
/** The end of a number, a literal or a token. */
const SCALAR = /[^\s,:{}[\]"]+/y;

/** A value that has begun. Its path is made only for a place that is returned: the text may be nested deeply. */
type Begun = Pick<ValuePlace, "start" | "nameStart" | "nameEnd">;

interface Open extends Begun {
  isObject: boolean;
  /** Index of the next item of an array. */
  index: number;
  /** Name of the current member; undefined before it. */
  name: { text: string; start: number; end: number } | undefined;
}

/**
 * Finds the values of a JSON text, each after the values that it contains: those up to a depth, and every token that is
 * not JSON.
 *
 * @param text Valid JSON apart from these tokens, decoded as `latin1`, so that each character is one byte.
 */
export function valuePlaces(text: string, depth = 2): ValuePlace[] {
  const found: ValuePlace[] = [];
  const open: Open[] = [];
  const begin = (at: number): Begun => {
    const parent = open.at(-1);
    const { start: nameStart = at, end: nameEnd = at } = (parent?.isObject === true ? parent.name : undefined) ?? {};
    return { start: at, nameStart, nameEnd };
  };
  const finish = ({ start, nameStart, nameEnd }: Begun, end: number): void => {
    const written = end - start <= 9 ? text.slice(start, end) : "";
    const token = TOKENS.has(written) ? written : undefined;
    if (open.length <= depth || token !== undefined)
      found.push({ path: open.map(stepInto), start, end, nameStart, nameEnd, token });
  };
  for (let at = 0; at < text.length;) {
    const parent = open.at(-1);
    switch (text[at]) {
      case "{":
      case "[":
        open.push({ ...begin(at), isObject: text[at] === "{", index: 0, name: undefined });
        at += 1;
        break;
      case "}":
      case "]":
        open.pop();
        at += 1;
        if (parent !== undefined) finish(parent, at);
        break;
      case ",":
        if (parent !== undefined) {
          parent.index += 1;
          parent.name = undefined;
        }
        at += 1;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (parent?.isObject === true && parent.name === undefined)
          parent.name = { text: stringOf(text.slice(at, end)), start: at, end };
        else finish(begin(at), end);
        at = end;
        break;
      }
      default: {
        SCALAR.lastIndex = at;
        if (text[at] === ":" || !SCALAR.test(text)) at += 1;
        else {
          finish(begin(at), SCALAR.lastIndex);
          at = SCALAR.lastIndex;
        }
      }
    }
  }
  return found;
}

function stepInto({ isObject, name, index }: Open): string {
  return isObject ? (name?.text ?? "") : String(index);
}

function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === "\\") before -= 1;
    // Of two backslashes, the second is escaped, not the quote.
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** The string that bytes in UTF-8 write, with its quotes. */
function stringOf(bytes: string): string {
  return JSON.parse(ASCII.test(bytes) ? bytes : Buffer.from(bytes, "latin1").toString("utf8")) as string;
}

const ASCII = /^[\0-\x7f]*$/;
