import { type ReadBytes, startOfText } from "./byte_window.ts";

const PIECE = 1 << 16;
const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

/**
 * Line and column (both from 1, the column in UTF-16 code units) of a byte of a document, which is read again up to
 * there; `\n`, `\r\n` and a lone `\r` end a line, and a byte order mark does not count.
 */
export function positionInDocument(read: ReadBytes, offset: number): { line: number; column: number } {
  const bytes = Buffer.allocUnsafe(PIECE);
  let [line, column, previous] = [1, 1, 0];
  for (let done = startOfText(read); done < offset;) {
    const count = Math.min(read(bytes, done), offset - done);
    // The file became shorter meanwhile.
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
