/** Meaning of a byte outside of strings. */
const PLAIN = 0;
const QUOTE = 1;
const OPEN = 2;
const CLOSE = 3;
const END = 4;
const FOREIGN = 5;

const OUTSIDE = kinds(FOREIGN, [
  [" \t\n\r", PLAIN],
  // Numbers, true, false, null, and the words NaN and Infinity; the parser of the value checks them.
  ["0123456789+-.eEtrufalsnNIiy", PLAIN],
  ['"', QUOTE],
  ["{[", OPEN],
  ["}]", CLOSE],
  [",:", END],
]);

/**
 * Inside of strings only three kinds of bytes matter: the end, an escape, and control characters, which are not allowed
 * there.
 */
const INSIDE = kinds(PLAIN, [
  ['"', QUOTE],
  ["\\", OPEN],
  [Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join(""), FOREIGN],
]);

function kinds(others: number, groups: [string, number][]): Uint8Array {
  const table = new Uint8Array(256).fill(others);
  for (const [characters, kind] of groups) for (const one of characters) table[one.charCodeAt(0)] = kind;
  return table;
}

/**
 * Finds the end of a JSON value, piece by piece: a comma, a colon, or a closing bracket that does not belong to the
 * value. Brackets are counted, but their kinds are not compared. If they do not match, the value is not JSON, and the
 * parser reports it.
 */
export class ValueScanner {
  /** True after a byte that cannot occur in JSON: the value cannot be read, and its end is that byte. */
  foreign = false;
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** Continues at `from`. Returns -1 if the value does not end before `to`. */
  scan(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to) {
      if (this.#inString) {
        at = this.#scanString(bytes, at, to);
        if (this.foreign) return at;
        continue;
      }
      switch (OUTSIDE[bytes[at] as number]) {
        case QUOTE:
          this.#inString = true;
          break;
        case OPEN:
          this.#depth += 1;
          break;
        case CLOSE:
          if (this.#depth === 0) return at;
          this.#depth -= 1;
          break;
        case END:
          if (this.#depth === 0) return at;
          break;
        case FOREIGN:
          this.foreign = true;
          return at;
      }
      at += 1;
    }
    return -1;
  }

  /** Returns the index after the string, or `to` if the string does not end before it. */
  #scanString(bytes: Uint8Array, from: number, to: number): number {
    for (let at = from; at < to; at += 1) {
      if (this.#escaped) {
        this.#escaped = false;
        continue;
      }
      const kind = INSIDE[bytes[at] as number];
      if (kind === PLAIN) continue;
      if (kind === OPEN) this.#escaped = true;
      else if (kind === FOREIGN) {
        this.foreign = true;
        return at;
      } else {
        this.#inString = false;
        return at + 1;
      }
    }
    return to;
  }
}
