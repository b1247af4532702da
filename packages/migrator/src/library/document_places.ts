import {
  BLANK,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
} from "@perdura/internals/json/structural_bytes.js";
import { startOfText } from "@perdura/internals/json/byte_window.js";
import { ValueScanner } from "@perdura/internals/json/value_scanner.js";
import type { Range } from "../core/splice.ts";
import type { DocumentBytes } from "../io/document_bytes.ts";
import { ItemRanges } from "./item_ranges.ts";

/** A member of the object that is the document. */
interface Member extends Range {
  name: string;
}

/** The parts of the document of a pattern library. */
export interface DocumentPlaces {
  members: Member[];
  /** The items of the last array `patterns`. */
  items: ItemRanges;
  /** The member that contains these items; undefined without such an array. */
  patterns: Member | undefined;
  /** The place at which the text ends early; undefined for a complete document. */
  cut: string | undefined;
}

/** True for the complete text of a library. */
export const isWhole = ({ cut, patterns }: DocumentPlaces): boolean => cut === undefined && patterns !== undefined;

/** Finds the parts of a document without reading their values. Stops where the text is not JSON. */
export function documentPlaces(bytes: DocumentBytes): DocumentPlaces {
  return new PlaceReader(bytes).read();
}

/** Bytes that are in memory at a time. */
const PIECE = 1 << 16;

class PlaceReader {
  readonly #bytes: DocumentBytes;
  readonly #place: Buffer = Buffer.allocUnsafe(PIECE);
  /** The piece that is in memory, and its offset. */
  #piece: Buffer = this.#place.subarray(0, 0);
  #origin = 0;
  #at: number;
  readonly #found: DocumentPlaces = { members: [], items: new ItemRanges(), patterns: undefined, cut: undefined };

  constructor(bytes: DocumentBytes) {
    this.#bytes = bytes;
    this.#at = startOfText((place, position) => bytes.read(place, position));
  }

  read(): DocumentPlaces {
    if (this.#next() !== OPEN_OBJECT) {
      if (this.#isEnd()) this.#found.cut = "it is empty";
      return this.#found;
    }
    do {
      this.#at += 1;
      if (this.#next() === CLOSE_OBJECT) break;
      const name = this.#value("before its end");
      if (name === undefined || this.#next() !== COLON) return this.#ends("in the name of a member");
      this.#at += 1;
      const opening = this.#next();
      const member = { name: nameOf(this.#bytes, name), start: this.#at, end: this.#at };
      if (member.name === "patterns" && opening === OPEN_ARRAY) {
        if (!this.#items(member)) return this.#found;
      } else {
        const value = this.#value(`inside ${shownName(member.name)}`);
        if (value === undefined) return this.#found;
        member.end = value.end;
        this.#found.members.push(member);
      }
    } while (this.#next() === COMMA);
    return this.#next() === CLOSE_OBJECT ? this.#found : this.#ends("before the end of the document");
  }

  #items(member: Member): boolean {
    const items = new ItemRanges();
    this.#found.items = items;
    this.#found.patterns = member;
    this.#at += 1;
    if (this.#next() !== CLOSE_ARRAY) {
      for (;;) {
        this.#next();
        if (this.#isEnd()) return this.#cutAfter(items);
        const item = this.#value(`inside pattern ${items.length + 1}`);
        if (item === undefined) return false;
        items.push(item);
        if (this.#next() !== COMMA) break;
        this.#at += 1;
      }
    }
    if (this.#next() !== CLOSE_ARRAY) return this.#cutAfter(items);
    this.#at += 1;
    member.end = this.#at;
    this.#found.members.push(member);
    return true;
  }

  #cutAfter(items: ItemRanges): false {
    this.#ends(items.length === 0 ? "before the first pattern" : `after pattern ${items.length}`);
    return false;
  }

  #ends(where: string): DocumentPlaces {
    if (this.#isEnd()) this.#found.cut = where;
    return this.#found;
  }

  /** The value at the current position; undefined if the text ends in it. */
  #value(where: string): Range | undefined {
    const start = this.#at;
    const scanner = new ValueScanner();
    let end = start;
    for (;;) {
      if (!this.#isThere()) {
        this.#found.cut = where;
        return undefined;
      }
      const from = this.#at - this.#origin;
      const stop = scanner.scan(this.#piece, from, this.#piece.length);
      let last = stop === -1 ? this.#piece.length : stop;
      this.#at = this.#origin + last;
      // Blanks after a number or a word do not belong to it.
      while (last > from && BLANK.has(this.#piece[last - 1] as number)) last -= 1;
      if (last > from) end = this.#origin + last;
      if (stop !== -1) return { start, end };
    }
  }

  #next(): number | undefined {
    for (; this.#isThere(); this.#at += 1) {
      const byte = this.#piece[this.#at - this.#origin] as number;
      if (!BLANK.has(byte)) return byte;
    }
    return undefined;
  }

  /** Makes the byte at the current position available; false at the end. */
  #isThere(): boolean {
    if (this.#at - this.#origin < this.#piece.length) return true;
    this.#origin = this.#at;
    this.#piece = this.#place.subarray(0, this.#bytes.read(this.#place, this.#at));
    return this.#piece.length > 0;
  }

  #isEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }
}

function nameOf(bytes: DocumentBytes, range: Range): string {
  const text = bytes.text(range);
  try {
    return JSON.parse(text) as string;
  } catch {
    return text;
  }
}

const shownName = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}…` : name);
