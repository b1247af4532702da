import { isPlainObject, isRawNumber } from "@perdura/internals/json/values.js";
import { NumberList } from "@perdura/internals/runtime/number_list.js";
import { TextTable } from "@perdura/internals/text/text_table.js";
import type { Range, Ranges } from "../core/splice.ts";
import type { DocumentBytes } from "../io/document_bytes.ts";
import type { DocumentPlaces } from "./document_places.ts";
import { reading } from "./examine_library.ts";

/** Bytes of patterns whose values are kept in memory, because they are compared with several decisions. */
const MOST_KEPT = 1 << 20;

/** The values of the patterns of a document; those of a large one are read again each time. */
export class PatternValues {
  readonly #bytes: DocumentBytes;
  readonly #ranges: Ranges;
  readonly #kept = new Map<number, unknown>();
  #size = 0;
  /** The value that was read last: its fields are compared one after the other. */
  #last: { index: number; value: unknown } | undefined;

  constructor(bytes: DocumentBytes, { items }: DocumentPlaces) {
    this.#bytes = bytes;
    this.#ranges = items;
  }

  at(index: number): unknown {
    if (this.#last?.index === index) return this.#last.value;
    if (this.#kept.has(index)) return this.#kept.get(index);
    const range = this.#ranges.at(index) as Range;
    const { value } = reading(this.#bytes, range);
    this.#size += range.end - range.start;
    if (this.#size <= MOST_KEPT) this.#kept.set(index, value);
    this.#last = { index, value };
    return value;
  }
}

/** A pattern of the library as it is now. */
export class PresentPattern {
  readonly range: Range;
  readonly #index: number;
  readonly #values: PatternValues;

  constructor(values: PatternValues, range: Range, index: number) {
    this.range = range;
    this.#index = index;
    this.#values = values;
  }

  get value(): unknown {
    return this.#values.at(this.#index);
  }
}

/** The library as it is now. Its patterns need not be valid. */
export class PresentLibrary {
  readonly bytes: DocumentBytes;
  readonly places: DocumentPlaces;
  readonly #values: PatternValues;
  /** Ids that are text, and for each the index of its first pattern. */
  readonly #texts = new TextTable();
  readonly #first = new NumberList();
  /** Indices of the patterns with an id, for other ids and those that occur more than once. */
  readonly #others = new Map<unknown, number[]>();

  constructor(bytes: DocumentBytes, places: DocumentPlaces) {
    this.bytes = bytes;
    this.places = places;
    this.#values = new PatternValues(bytes, places);
    for (const [index, range] of places.items.entries()) {
      const id = idOf(reading(bytes, range).value);
      if (typeof id === "string" && this.#texts.add(id)) this.#first.push(index);
      else {
        const known = this.#indicesOf(id);
        if (known.length < 2) this.#others.set(id, [...known, index]);
        else known.push(index);
      }
    }
  }

  /** Number of the patterns with an id. */
  countOf(id: unknown): number {
    return this.#indicesOf(id).length;
  }

  /** The first pattern with an id. */
  first(id: unknown): PresentPattern | undefined {
    const [index] = this.#indicesOf(id);
    return index === undefined ? undefined : this.#patternAt(index);
  }

  /** Patterns with the same id that may be the n-th of them: all of a few, otherwise the n-th. */
  candidates(id: unknown, nth: number): PresentPattern[] {
    const same = this.#indicesOf(id);
    return (same.length <= MANY ? same : same.slice(nth, nth + 1)).map((index) => this.#patternAt(index));
  }

  #indicesOf(id: unknown): number[] {
    const found = this.#others.get(id);
    if (found !== undefined || typeof id !== "string") return found ?? [];
    const first = this.#first.at(this.#texts.indexOf(id));
    return first === undefined ? [] : [first];
  }

  #patternAt(index: number): PresentPattern {
    return new PresentPattern(this.#values, this.places.items.at(index) as Range, index);
  }
}

const MANY = 50;

/** The id of a pattern, which can be anything. */
export function idOf(value: unknown): unknown {
  const id = isPlainObject(value) ? value["id"] : undefined;
  return keyOf(isRawNumber(id) ? id.rawJSON : id);
}

/** An id can be anything; equal objects are the same one. */
export function keyOf(id: unknown): unknown {
  return typeof id === "object" && id !== null ? `\0${JSON.stringify(id)}` : id;
}
