import type { ByteWindow } from "./byte_window.ts";
import { ItemBatches } from "./item_batches.ts";
import type { NonFinite } from "./load_options.ts";
import { parseJson } from "./parse.ts";
import { JsonSyntaxFault, StrictParser } from "./strict_parser.ts";
import { BLANK, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./structural_bytes.ts";
import { ValueScanner } from "./value_scanner.ts";

/** Takes what a document holds, in its order. */
export interface DocumentReceiver {
  /** The name of the member whose items come one after the other where it is an array. */
  readonly itemsOf: string;
  /** Reads the tokens `NaN`, `Infinity` and `-Infinity`; without it they are a fault. */
  readonly nonFinite?: NonFinite | undefined;
  /** An array under that name begins. A later one takes the place of an earlier one, as with any name given twice. */
  beginItems(): void;
  /** Further items of it, at least one. */
  items(values: unknown[]): void;
  /** Stands for those tokens in items that are given to `nonFiniteItem`; null by default. */
  readonly itemTokens?: NonFinite | undefined;
  /**
   * A further item, with `itemTokens` in place of tokens that `nonFinite` would read.
   *
   * @param reason Says what was found. Without this method the document has a fault.
   */
  nonFiniteItem?: ((value: unknown, reason: string) => void) | undefined;
  /** Any other member of the document. */
  member(name: string, value: unknown): void;
  /** The value of a document that is not an object. */
  other(value: unknown): void;
}

/** A fault of the syntax, by the offset of its byte in the document. */
export class DocumentSyntaxFault extends Error {
  readonly offset: number;

  constructor(cause: JsonSyntaxFault, offset: number) {
    super(cause.message, { cause });
    this.offset = offset;
  }
}

/** Bytes after a fault that are read to name what was found. */
const LOOK_AHEAD = 16;

/**
 * Texts that bring the strict reader to the state in which the document is, so that it finds the same fault. A value that
 * has ended is text in them: a number would go on with the digits, the point or the exponent that come next.
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
 * Reads a JSON document of any size in pieces, each of them exactly as {@link parseJson} would. Items of the one array
 * are read many at a time; what else the document holds, a member at a time.
 *
 * @throws DocumentSyntaxFault for the first place that is not JSON, in a document that is UTF-8 to its end.
 * @throws NotUtf8Fault and PieceTooLongFault
 */
export function readDocument(window: ByteWindow, receiver: DocumentReceiver): void {
  try {
    new DocumentReader(window, receiver).read();
  } catch (fault) {
    // Bytes that are not UTF-8 are reported before faults of the syntax, wherever they are.
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
    const batches = new ItemBatches(this.#window);
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
      return this.#parse(length, this.#receiver.itemTokens ?? "null");
    } catch (cause) {
      if (cause instanceof JsonSyntaxFault) this.#fail(state, length);
      throw cause;
    }
  }

  /** Reads the value, or the name, that begins where the window is. */
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

  #parse(length: number, nonFinite: NonFinite | undefined = this.#receiver.nonFinite): unknown {
    const window = this.#window;
    return parseJson(window.text(window.at, window.at + length), nonFinite);
  }

  /** The length of the value that begins where the window is; all of it is in the window then. */
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

  /** Goes to the next byte that is not blank. */
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

  /** Tells what is wrong with the next `length` bytes, or with the one after them. */
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
