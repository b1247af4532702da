import { NotJson, readJsonText, readOrdinaryJson, TooDeep } from "./json_reader.ts";
import type { JsonValue } from "./json_value.ts";

/** One fault of a JSON file, with its place. */
interface JsonFault extends TextPlace {
  /** Description of the fault, without its place. */
  message: string;
  /** Offset in {@link StrictReading.text}. */
  offset: number;
}

/** Result of a strict reading of a JSON file. */
export interface StrictReading {
  /** The value; undefined if the file is not JSON. */
  value: JsonValue | undefined;
  /** The text without its byte order mark, up to the first byte that is not UTF-8. */
  text: string;
  /** Every fault, including those that other parsers accept. Empty for a correct file. */
  faults: JsonFault[];
  /** The faults, each in one sentence. */
  problems: string[];
}

/** Maximum number of repeated keys that are reported one by one. */
const NAMED_KEYS = 100;

/**
 * Reads a JSON file according to RFC 8259 and reports faults that `JSON.parse` does not: a byte order mark, bytes that
 * are not UTF-8, and repeated keys. Numbers keep their exact value.
 * @example readStrictJson(Buffer.from('{"a": NaN}')).faults // not JSON, line 1, column 7
 */
export function readStrictJson(bytes: Uint8Array): StrictReading {
  const decoded = decode(bytes);
  const marked = decoded.text.startsWith("\uFEFF");
  const text = marked ? decoded.text.slice(1) : decoded.text;
  let places: TextPlaces | undefined;
  const fault = (message: string, offset: number): JsonFault => {
    places ??= new TextPlaces(text);
    return { message, offset, ...places.at(offset) };
  };
  if (!decoded.whole) {
    const wrong = fault("the file is not UTF-8", text.length);
    return { value: undefined, text, faults: [wrong], problems: [wrong.message] };
  }
  const faults: JsonFault[] = marked ? [fault("the file begins with a byte order mark", 0)] : [];
  const problems = faults.map(({ message }) => message);
  const add = (message: string, offset: number): void => {
    const found = fault(message, offset);
    faults.push(found);
    problems.push(`${message} (line ${found.line}, column ${found.column})`);
  };
  let repeated = 0;
  const listener = {
    repeated(key: string, offset: number): void {
      repeated += 1;
      if (repeated <= NAMED_KEYS) add(`the key ${JSON.stringify(key)} occurs twice in one object`, offset);
      if (repeated === NAMED_KEYS + 1) add("more keys occur twice", offset);
    },
  };
  const ordinary = readOrdinaryJson(text);
  if (ordinary !== undefined) return { value: ordinary, text, faults, problems };
  try {
    return { value: readJsonText(text, listener), text, faults, problems };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    add(error instanceof TooDeep ? error.message : `the file is not JSON: ${error.message}`, error.offset);
    return { value: undefined, text, faults, problems };
  }
}

/** The text, or its part before the first byte that is not UTF-8. */
function decode(bytes: Uint8Array): { text: string; whole: boolean } {
  const text = decodeStrictly(bytes, false);
  if (text !== undefined) return { text, whole: true };
  // Binary search for the length from which decoding fails; only a damaged file needs it.
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (decodeStrictly(bytes.subarray(0, middle), true) === undefined) bad = middle;
    else good = middle;
  }
  return { text: decodeStrictly(bytes.subarray(0, good), true) as string, whole: false };
}

/** @param open true if the bytes may end inside a character. */
function decodeStrictly(bytes: Uint8Array, open: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: open });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_ENCODING_INVALID_ENCODED_DATA") return undefined;
    throw error;
  }
}

/** A place in a text file as in editors: both numbers from 1, columns in UTF-16 units. */
interface TextPlace {
  line: number;
  column: number;
}

/**
 * Converts offsets of a text to lines and columns. The lines are counted once, for any number of places.
 * @example new TextPlaces("a\nbc").at(3) // { line: 2, column: 2 }
 */
export class TextPlaces {
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (let feed = text.indexOf("\n"); feed !== -1; feed = text.indexOf("\n", feed + 1)) this.#starts.push(feed + 1);
  }

  /** The place of an offset in UTF-16 units from 0; the end of the text is valid, too. */
  at(offset: number): TextPlace {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.#starts[low] as number) + 1 };
  }
}
