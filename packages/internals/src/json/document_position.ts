import { type ReadBytes, startOfText } from "./byte_window.ts";

const PIECE = 1 << 16;
const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

/**
 * Line and column of a byte of a document, both from 1; the column counts UTF-16 code units. The document is read again
 * up to that byte. `\n`, `\r\n` and a single `\r` end a line; a byte order mark is not counted.
 */
export function positionInDocument(read: ReadBytes, offset: number): { line: number; column: number } {
  const bytes = Buffer.allocUnsafe(PIECE);
  let [line, column, previous] = [1, 1, 0];
  for (let done = startOfText(read); done < offset;) {
    const count = Math.min(read(bytes, done), offset - done);
    // Another process has shortened the file.
    if (count === 0) break;
    for (const byte of bytes.subarray(0, count)) {
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
        if (byte !== LINE_FEED || previous !== CARRIAGE_RETURN) line += 1;
        column = 1;
      } else if ((byte & 0xc0) !== 0x80) {
        column += byte >= 0xf0 ? 2 : 1;
      }
      previous = byte;
    }
    done += count;
  }
  return { line, column };
}
