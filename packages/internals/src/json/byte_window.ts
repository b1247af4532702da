import { isAscii, isUtf8 } from "node:buffer";
import { firstInvalidByte } from "./utf8.ts";

/** Reads bytes of a document, beginning at `position`, into `place`. Returns their number, 0 at the end. */
export type ReadBytes = (place: Uint8Array, position: number) => number;

/**
 * Maximum length of a JavaScript string (V8: 2^29 - 24 characters), and so of a piece of text with one byte per
 * character.
 */
export const MAX_PIECE: number = 2 ** 29 - 24;

/** A document contains bytes that are not UTF-8. */
export class NotUtf8Fault extends Error {
  readonly offset: number;
  /** The first byte of the malformed sequence. */
  readonly byte: number;

  constructor(offset: number, byte: number) {
    super(`byte 0x${byte.toString(16)} is not UTF-8`);
    this.offset = offset;
    this.byte = byte;
  }
}

/** A value of a document is longer than a string can be. */
export class PieceTooLongFault extends Error {
  /** Offset of its first byte. */
  readonly offset: number;

  constructor(offset: number) {
    super("too long for a string");
    this.offset = offset;
  }
}

const BYTE_ORDER_MARK: Buffer = Buffer.from("\ufeff");

/** Offset of the text of a document: after a byte order mark, which RFC 8259 allows parsers to ignore. */
export function startOfText(read: ReadBytes): number {
  const first = Buffer.alloc(BYTE_ORDER_MARK.length);
  let filled = 0;
  for (let count = 1; count > 0 && filled < first.length; filled += count) {
    count = read(first.subarray(filled), filled);
  }
  return first.equals(BYTE_ORDER_MARK) ? filled : 0;
}

/**
 * The part of a document that is in memory. A reader moves {@link at} forward and calls {@link fill} for more bytes;
 * bytes before `at` are then dropped. All bytes up to {@link end} were checked to be UTF-8, and `end` is never inside a
 * character.
 */
export class ByteWindow {
  bytes: Buffer;
  at = 0;
  end = 0;
  /** Number of bytes in memory, unless one value needs more. */
  readonly size: number;
  readonly #read: ReadBytes;
  /** The offset of `bytes[0]` in the document. */
  #origin: number;
  /** Number of bytes that were read. After {@link end} they contain the beginning of a character. */
  #filled = 0;
  #complete = false;

  constructor(read: ReadBytes, size: number) {
    this.size = size;
    this.#read = read;
    this.bytes = Buffer.allocUnsafe(size);
    this.#origin = startOfText(read);
  }

  /** Converts an index in {@link bytes} to an offset in the document. */
  offsetOf(index: number): number {
    return this.#origin + index;
  }

  /**
   * Drops the bytes before `at`, except for the last one, and reads more.
   *
   * @returns False if the end was reached before; the window is unchanged then.
   * @throws NotUtf8Fault and PieceTooLongFault
   */
  fill(): boolean {
    if (this.#complete) return false;
    this.#makeRoom();
    const count = this.#read(this.bytes.subarray(this.#filled), this.#origin + this.#filled);
    this.#filled += count;
    this.#complete = count === 0;
    this.#proveUtf8(this.#complete ? this.#filled : this.#lastWholeCharacter());
    return true;
  }

  /** Reads to the end of the document, only to check that all of it is UTF-8. */
  drain(): void {
    do this.at = this.end;
    while (this.fill());
  }

  text(from: number, to: number): string {
    if (to - from > MAX_PIECE) throw new PieceTooLongFault(this.offsetOf(from));
    return this.bytes.toString(isAscii(this.bytes.subarray(from, to)) ? "latin1" : "utf8", from, to);
  }

  #makeRoom(): void {
    const past = this.at - 1;
    if (past > 0) {
      this.bytes.copyWithin(0, past, this.#filled);
      this.#origin += past;
      this.at -= past;
      this.end -= past;
      this.#filled -= past;
    }
    if (this.#filled < this.bytes.length) return;
    if (this.#filled > MAX_PIECE) throw new PieceTooLongFault(this.offsetOf(this.at));
    const larger = Buffer.allocUnsafe(2 * this.bytes.length);
    this.bytes.copy(larger);
    this.bytes = larger;
  }

  #lastWholeCharacter(): number {
    for (let back = 1; back <= Math.min(3, this.#filled); back += 1) {
      const byte = this.bytes[this.#filled - back] as number;
      if (byte < 0x80) break;
      // The first byte of a character whose other bytes have not all been read yet.
      if (byte >= 0xc0) return back < (byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4) ? this.#filled - back : this.#filled;
    }
    return this.#filled;
  }

  #proveUtf8(to: number): void {
    const fresh = this.bytes.subarray(this.end, to);
    if (!isUtf8(fresh)) {
      const at = firstInvalidByte(fresh);
      throw new NotUtf8Fault(this.offsetOf(this.end + at), fresh[at] as number);
    }
    this.end = to;
  }
}
