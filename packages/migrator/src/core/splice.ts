import { NumberList } from "@perdura/internals/runtime/number_list.js";

/** A range of bytes. */
export interface Range {
  start: number;
  /** Offset after the last byte. */
  end: number;
}

/** Ranges in the order of their places, such as an array of them. */
export interface Ranges {
  readonly length: number;
  at(index: number): Range | undefined;
}

/** A range of bytes, and the text that replaces it. An empty range inserts. */
export interface Edit extends Range {
  text: string;
}

/** Edits of a document, which can have millions: 24 bytes an edit, and its text, which is kept once if many have it. */
export class Edits {
  readonly #starts = new NumberList();
  readonly #ends = new NumberList();
  /** For each edit the index of its text. */
  readonly #textOf = new NumberList();
  readonly #texts: string[] = [];
  readonly #shared = new Map<string, number>();
  #isOrdered = true;

  constructor(edits: Iterable<Edit> = []) {
    this.addAll(edits);
  }

  get length(): number {
    return this.#starts.length;
  }

  addAll(edits: Iterable<Edit>): void {
    for (const edit of edits) this.add(edit);
  }

  add({ start, end, text }: Edit): void {
    const before = this.length - 1;
    const [lastStart, lastEnd] = [this.#starts.at(before) ?? 0, this.#ends.at(before) ?? 0];
    if (start < lastStart || (start === lastStart && end < lastEnd)) this.#isOrdered = false;
    this.#starts.push(start);
    this.#ends.push(end);
    this.#textOf.push(this.#indexOf(text));
  }

  #indexOf(text: string): number {
    const known = this.#shared.get(text);
    if (known !== undefined) return known;
    const index = this.#texts.push(text) - 1;
    if (this.#shared.size < MOST_SHARED) this.#shared.set(text, index);
    return index;
  }

  /**
   * The edits in the order of their places; those at the same place in the order in which they were added.
   *
   * @throws Error if two of them overlap.
   */
  inOrder(): Edits {
    const ordered = this.#isOrdered ? this : new Edits(this.#order());
    let last = 0;
    for (const { start, end } of ordered) {
      if (start < last) throw new Error("Two repairs concern the same bytes.");
      last = end;
    }
    return ordered;
  }

  at(index: number): Edit | undefined {
    const start = this.#starts.at(index);
    if (start === undefined) return undefined;
    return {
      start,
      end: this.#ends.at(index) as number,
      text: this.#texts[this.#textOf.at(index) as number] as string,
    };
  }

  *[Symbol.iterator](): Generator<Edit> {
    for (let index = 0; index < this.length; index += 1) yield this.at(index) as Edit;
  }

  *#order(): Generator<Edit> {
    const [starts, ends] = [this.#starts, this.#ends];
    const by = (list: NumberList, one: number, other: number): number =>
      (list.at(one) as number) - (list.at(other) as number);
    const order = Uint32Array.from({ length: this.length }, (_, index) => index).sort(
      (one, other) => by(starts, one, other) || by(ends, one, other) || one - other,
    );
    for (const index of order) yield this.at(index) as Edit;
  }
}

/** Other texts, such as timestamps, are different in each edit. */
const MOST_SHARED = 1000;

/** The bytes with all edits, which must not overlap; all other bytes are unchanged. */
export function spliced(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of new Edits(edits).inOrder()) {
    pieces.push(bytes.subarray(at, start), Buffer.from(text));
    at = end;
  }
  pieces.push(bytes.subarray(at));
  return Buffer.concat(pieces);
}

/** Removes entries of an array or an object, each with one comma. */
export function* removals(entries: Ranges, isRemoved: (index: number) => boolean): Generator<Edit> {
  let isLeading = true;
  for (let index = 0; index < entries.length; index += 1) {
    if (!isRemoved(index)) {
      isLeading = false;
      continue;
    }
    const entry = entries.at(index) as Range;
    const start = isLeading || index === 0 ? entry.start : (entries.at(index - 1) as Range).end;
    const end = isLeading ? (entries.at(index + 1)?.start ?? entry.end) : entry.end;
    yield { start, end, text: "" };
  }
}
