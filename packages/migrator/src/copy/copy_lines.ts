import type { Row } from "./row_values.ts";

/** A field of a line: where its value stands in a row, and whether it is text, which alone has to be escaped. */
export interface Field {
  index: number;
  isText: boolean;
}

/** Characters that are put together at once; values beyond them may be too long for one string when they are escaped. */
const AT_ONCE = 1 << 20;

const ESCAPES: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A row in the text format of COPY: one line, in several pieces where a value is long. */
export function* lineOf(row: Row, fields: readonly Field[]): Generator<string, void> {
  let line = "";
  let between = "";
  for (const { index, isText } of fields) {
    const value = row[index] ?? null;
    line += between;
    between = "\t";
    if (value === null) line += "\\N";
    else if (!isText) line += value;
    else if (value.length <= AT_ONCE) line += escaped(value);
    else {
      yield line;
      line = "";
      for (const piece of piecesOf(value)) yield escaped(piece);
    }
  }
  yield `${line}\n`;
}

function escaped(text: string): string {
  return /[\\\n\r\t]/.test(text) ? text.replaceAll(/[\\\n\r\t]/g, (found) => ESCAPES[found] as string) : text;
}

function* piecesOf(text: string): Generator<string, void> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + AT_ONCE, text.length);
    // A character of two code units stays whole: each piece becomes bytes by itself.
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end += 1;
    yield text.slice(start, end);
    start = end;
  }
}
