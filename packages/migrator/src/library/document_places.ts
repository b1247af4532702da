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

/** A member of the object that is the document. */
interface Member extends Range {
  name: string;
}

/** The parts of the document of a pattern library. */
export interface DocumentPlaces {
  members: Member[];
  /** The items of the last array `patterns`. */
  items: Range[];
  /** The member that contains these items; undefined without such an array. */
  patterns: Member | undefined;
  /** The place at which the text ends early; undefined for a complete document. */
  cut: string | undefined;
}

/** Finds the parts of a document without reading their values. Stops where the text is not JSON. */
export function documentPlaces(bytes: Buffer): DocumentPlaces {
  return new PlaceReader(bytes).read();
}

class PlaceReader {
  readonly #bytes: Buffer;
  #at: number;
  readonly #found: DocumentPlaces = { members: [], items: [], patterns: undefined, cut: undefined };

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#at = startOfText((place, position) => bytes.copy(place, 0, position));
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
    const items: Range[] = [];
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

  #cutAfter(items: readonly Range[]): false {
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
    const stop = scanner.scan(this.#bytes, start, this.#bytes.length);
    if (stop === -1) {
      this.#at = this.#bytes.length;
      this.#found.cut = where;
      return undefined;
    }
    let end = stop;
    while (end > start && BLANK.has(this.#bytes[end - 1] as number)) end -= 1;
    this.#at = stop;
    return { start, end };
  }

  #next(): number | undefined {
    while (this.#at < this.#bytes.length && BLANK.has(this.#bytes[this.#at] as number)) this.#at += 1;
    return this.#bytes[this.#at];
  }

  #isEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }
}

function nameOf(bytes: Buffer, { start, end }: Range): string {
  const text = bytes.toString("utf8", start, end);
  try {
    return JSON.parse(text) as string;
  } catch {
    return text;
  }
}

const shownName = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}…` : name);
