import type { ByteWindow } from "./byte_window.ts";
import { ItemBatches } from "./item_batches.ts";
import { parseJson } from "./parse.ts";
import { JsonSyntaxFault, StrictParser, type TokenReading } from "./strict_parser.ts";
import { BLANK, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./structural_bytes.ts";
import { ValueScanner } from "./value_scanner.ts";

/** Receives the content of a document, in its order. */
export interface DocumentReceiver {
  /** Name of the member whose items are passed on separately, if it is an array. */
  readonly itemsOf: string;
  /** Replacement for the tokens `NaN`, `Infinity` and `-Infinity`; without it they are a fault. */
  readonly nonFinite?: TokenReading | undefined;
  /** Called when an array with that name begins. A later one replaces an earlier one, as for all repeated names. */
  beginItems(): void;
  /** Receives the next items of the array, at least one. */
  items(values: unknown[]): void;
  /**
   * Receives the next item, with numbers in the place of the tokens.
   *
   * @param reason Describes the token that was found. Without this method, the item is a fault of the document.
   */
  nonFiniteItem?: ((value: unknown, reason: string) => void) | undefined;
  /** Receives any other member of the document. */
  member(name: string, value: unknown): void;
  /** Receives the value of a document that is not an object. */
  other(value: unknown): void;
}

/** A syntax fault, with the offset of its byte in the document. */
export class DocumentSyntaxFault extends Error {
  readonly offset: number;

  constructor(cause: JsonSyntaxFault, offset: number) {
    super(cause.message, { cause });
    this.offset = offset;
  }
}

/** Number of bytes after a fault that are read to describe it. */
const LOOK_AHEAD = 16;

/**
 * Texts that put the strict reader into the same state as the document reader, so that it finds the same fault. They
 * use a string for a value that has ended: a number would continue with a digit, point or exponent that follows.
 */
const STATE = {
  start: "",
  firstName: "{",
  name: '{"":0,',
  colon: '{""',
  value: '{"":',
  afterValue: '{"":""',
  firstItem: '{"":[',
  item: '{"":[0,',
  afterItem: '{"":[""',
  finished: "{}",
} as const;

/**
 * Reads a JSON document of any size in pieces, each exactly as {@link parseJson} would. Items of the array are read in
 * batches, and other members one by one.
 *
 * @throws DocumentSyntaxFault for the first place that is not JSON, in a document that is UTF-8 to its end.
 * @throws NotUtf8Fault and PieceTooLongFault
 */
export function readDocument(window: ByteWindow, receiver: DocumentReceiver): void {
  try {
    new DocumentReader(window, receiver).read();
  } catch (fault) {
    // Bytes that are not UTF-8 take precedence over syntax faults, wherever they are.
    if (fault instanceof DocumentSyntaxFault) window.drain();
    throw fault;
  }
}

class DocumentReader {
  readonly #window: ByteWindow;
  readonly #receiver: DocumentReceiver;

  constructor(window: ByteWindow, receiver: DocumentReceiver) {
    this.#window = window;
    this.#receiver = receiver;
  }

  read(): void {
    if (this.#next() === OPEN_OBJECT) this.#members();
    else this.#receiver.other(this.#value(STATE.start));
    if (this.#next() !== undefined) this.#fail(STATE.finished);
  }

  #members(): void {
    this.#window.at += 1;
    if (this.#skips(CLOSE_OBJECT)) return;
    let state: string = STATE.firstName;
    do {
      if (this.#next() !== QUOTE) this.#fail(state);
      const name = this.#value(state) as string;
      if (!this.#skips(COLON)) this.#fail(STATE.colon);
      const opening = this.#next();
      if (name === this.#receiver.itemsOf && opening === OPEN_ARRAY) this.#items();
      else this.#receiver.member(name, this.#value(STATE.value));
      state = STATE.name;
    } while (this.#skips(COMMA));
    if (!this.#skips(CLOSE_OBJECT)) this.#fail(STATE.afterValue);
  }

  #items(): void {
    this.#window.at += 1;
    this.#receiver.beginItems();
    if (this.#skips(CLOSE_ARRAY)) return;
    const { nonFinite, nonFiniteItem } = this.#receiver;
    const batches = new ItemBatches(this.#window, nonFinite !== undefined || nonFiniteItem !== undefined);
    let state: string = STATE.firstItem;
    do {
      this.#next();
      const batch = batches.take();
      if (batch === undefined) this.#item(state);
      else this.#receiver.items(batch);
      state = STATE.item;
    } while (this.#skips(COMMA));
    if (!this.#skips(CLOSE_ARRAY)) this.#fail(STATE.afterItem);
  }

  #item(state: string): void {
    const length = this.#scan(state);
    try {
      this.#receiver.items([this.#parse(length)]);
    } catch (cause) {
      if (!(cause instanceof JsonSyntaxFault)) throw cause;
      if (this.#receiver.nonFiniteItem === undefined) this.#fail(state, length);
      this.#receiver.nonFiniteItem(this.#readLeniently(state, length), cause.message);
    }
    this.#window.at += length;
  }

  #readLeniently(state: string, length: number): unknown {
    try {
      return this.#parse(length, "number");
    } catch (cause) {
      if (cause instanceof JsonSyntaxFault) this.#fail(state, length);
      throw cause;
    }
  }

  /** Reads the value, or the name, at the position of the window. */
  #value(state: string): unknown {
    const length = this.#scan(state);
    try {
      const value = this.#parse(length);
      this.#window.at += length;
      return value;
    } catch (cause) {
      if (cause instanceof JsonSyntaxFault) this.#fail(state, length);
      throw cause;
    }
  }

  #parse(length: number, nonFinite: TokenReading | undefined = this.#receiver.nonFinite): unknown {
    const window = this.#window;
    return parseJson(window.text(window.at, window.at + length), nonFinite);
  }

  /** Length of the value at the position of the window. Afterwards the window contains all of it. */
  #scan(state: string): number {
    const window = this.#window;
    const scanner = new ValueScanner();
    let length = 0;
    for (;;) {
      const end = scanner.scan(window.bytes, window.at + length, window.end);
      length = (end === -1 ? window.end : end) - window.at;
      if (end !== -1 || !window.fill()) break;
    }
    if (scanner.foreign) this.#fail(state, length);
    return length;
  }

  /** Moves to the next byte that is not blank. */
  #next(): number | undefined {
    const window = this.#window;
    do {
      for (; window.at < window.end; window.at += 1) {
        const byte = window.bytes[window.at] as number;
        if (!BLANK.has(byte)) return byte;
      }
    } while (window.fill());
    return undefined;
  }

  #skips(byte: number): boolean {
    if (this.#next() !== byte) return false;
    this.#window.at += 1;
    return true;
  }

  /** Throws the fault of the next `length` bytes, or of the byte after them. */
  #fail(state: string, length = 0): never {
    const window = this.#window;
    while (window.end - window.at < length + LOOK_AHEAD && window.fill());
    let end = Math.min(window.at + length + LOOK_AHEAD, window.end);
    while (end < window.end && ((window.bytes[end] as number) & 0xc0) === 0x80) end -= 1;
    const text = window.text(window.at, end);
    try {
      new StrictParser(state + text, this.#receiver.nonFinite).parse();
    } catch (fault) {
      if (!(fault instanceof JsonSyntaxFault)) throw fault;
      const before = text.slice(0, fault.offset - state.length);
      throw new DocumentSyntaxFault(fault, window.offsetOf(window.at) + Buffer.byteLength(before));
    }
    throw new Error("The two JSON readers disagree about the same text.");
  }
}
