/** Where JSON text stops being JSON, and why. */
export interface SyntaxFault {
  offset: number;
  reason: string;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const STRING_BODY = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const BLANK = /[ \t\n\r]*/y;
const LITERALS = ["true", "false", "null"] as const;
const PYTHON_TOKENS = ["NaN", "Infinity", "-Infinity"] as const;

/**
 * Finds the first place where `text` breaks RFC 8259. `JSON.parse` tells whether, but not always where; this runs only
 * after it has failed. Iterative, so that deep nesting cannot overflow the stack.
 */
export function findSyntaxFault(text: string): SyntaxFault | undefined {
  const open: ("{" | "[")[] = [];
  let at = 0;
  const fault = (reason: string, offset = at): SyntaxFault => ({ offset, reason });
  const match = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  const found = (): string => {
    if (at >= text.length) return "the end of the text";
    const token = PYTHON_TOKENS.find((name) => text.startsWith(name, at));
    return token === undefined ? JSON.stringify(String.fromCodePoint(text.codePointAt(at) as number)) : `the token ${token}, which is not JSON`;
  };
  const memberName = (): SyntaxFault | undefined => {
    if (text[at] !== '"') return fault(`expected a name in double quotes, found ${found()}`);
    if (!match(STRING)) return stringFault();
    match(BLANK);
    if (text[at] !== ":") return fault(`expected ":" after the name, found ${found()}`);
    at += 1;
    return undefined;
  };
  const stringFault = (): SyntaxFault => {
    at += 1;
    match(STRING_BODY);
    if (at >= text.length) return fault("the text ends inside a string");
    return fault(text[at] === "\\" ? "unknown escape in a string" : "control character in a string");
  };

  for (;;) {
    match(BLANK);
    const character = text[at];
    if (character === "{" || character === "[") {
      at += 1;
      match(BLANK);
      const close = character === "{" ? "}" : "]";
      if (text[at] !== close) {
        open.push(character);
        if (character === "{") {
          const wrong = memberName();
          if (wrong !== undefined) return wrong;
        }
        continue;
      }
      at += 1;
    } else if (character === '"') {
      if (!match(STRING)) return stringFault();
    } else {
      const literal = LITERALS.find((name) => text.startsWith(name, at));
      if (literal !== undefined) at += literal.length;
      else if (text.startsWith("-Infinity", at) || !match(NUMBER)) return fault(`expected a value, found ${found()}`);
    }
    // A value has ended: close what ends with it, then look for the next one.
    for (;;) {
      match(BLANK);
      const parent = open.at(-1);
      if (parent === undefined) return at < text.length ? fault(`expected the end of the text, found ${found()}`) : undefined;
      if (text[at] === (parent === "{" ? "}" : "]")) {
        at += 1;
        open.pop();
        continue;
      }
      if (text[at] !== ",") return fault(`expected "," or "${parent === "{" ? "}" : "]"}", found ${found()}`);
      at += 1;
      match(BLANK);
      if (parent === "{") {
        const wrong = memberName();
        if (wrong !== undefined) return wrong;
      }
      break;
    }
  }
}

/** Line and column (both from 1) of an offset; `\n`, `\r\n` and a lone `\r` end a line. */
export function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|[\r\n]/);
  return { line: before.length, column: (before.at(-1) as string).length + 1 };
}
