import type { ByteWindow } from "./byte_window.ts";
import { needsStrictReader } from "./needs_strict_reader.ts";
import { BLANK, CLOSE_ARRAY, COMMA, OPEN_ARRAY } from "./structural_bytes.ts";

/** Number of bytes of the first item that are searched for the way in which items begin. */
const BEGINNING = 100;

/**
 * Reads many items of an array at once. The place to cut is a guess, based on the beginning of the first item. If
 * `JSON.parse` accepts the text before the cut as the items of an array, the cut is not inside an item.
 */
export class ItemBatches {
  readonly #window: ByteWindow;
  readonly #expectsTokens: boolean;
  readonly #beginning: Buffer | undefined;
  /** Offset up to which items are read one by one, because a batch failed. */
  #itemByItemUntil = 0;

  /**
   * @param window Its position is the first item.
   * @param expectsTokens True if tokens that are not JSON are read, one item at a time.
   */
  constructor(window: ByteWindow, expectsTokens: boolean) {
    this.#window = window;
    this.#expectsTokens = expectsTokens;
    const { at, end } = window;
    const [beginning] =
      /^\{[ \t\r\n]*"[^"\\]*"/.exec(window.bytes.toString("latin1", at, Math.min(at + BEGINNING, end))) ?? [];
    if (beginning !== undefined) this.#beginning = Buffer.from(beginning, "latin1");
  }

  /** Reads items and moves the window to the comma after them. Undefined if the next item must be read alone. */
  take(): unknown[] | undefined {
    const window = this.#window;
    if (window.offsetOf(window.at) < this.#itemByItemUntil) return undefined;
    if (window.end - window.at < window.size / 2) window.fill();
    const comma = this.#lastComma();
    const items = comma > window.at ? this.#parse(comma) : undefined;
    if (items === undefined) this.#itemByItemUntil = window.offsetOf(window.end);
    else window.at = comma;
    return items;
  }

  /** Index of the comma before the last item that begins in the window; -1 if no item begins there. */
  #lastComma(): number {
    const { bytes, at, end, size } = this.#window;
    if (this.#beginning === undefined) return -1;
    let before = bytes.subarray(0, Math.min(end, at + size)).lastIndexOf(this.#beginning) - 1;
    while (BLANK.has(bytes[before] as number)) before -= 1;
    return bytes[before] === COMMA ? before : -1;
  }

  /** Writes the brackets into the window instead of copying the text, which would take half as long as parsing it. */
  #parse(comma: number): unknown[] | undefined {
    const { bytes, at } = this.#window;
    const before = bytes[at - 1] as number;
    bytes[at - 1] = OPEN_ARRAY;
    bytes[comma] = CLOSE_ARRAY;
    try {
      const text = this.#window.text(at - 1, comma + 1);
      if (needsStrictReader(text, this.#expectsTokens)) return undefined;
      return JSON.parse(text) as unknown[];
    } catch {
      return undefined;
    } finally {
      bytes[at - 1] = before;
      bytes[comma] = COMMA;
    }
  }
}
