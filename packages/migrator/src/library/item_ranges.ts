import { NumberList } from "@perdura/internals/runtime/number_list.js";
import type { Range, Ranges } from "../core/splice.ts";

/** Ranges of the items of an array, in their order: 16 bytes an item, of which a document can have millions. */
export class ItemRanges implements Ranges {
  /** The start and the end of each item. */
  readonly #offsets = new NumberList();

  get length(): number {
    return this.#offsets.length / 2;
  }

  at(index: number): Range | undefined {
    const start = this.#offsets.at(2 * index);
    return start === undefined ? undefined : { start, end: this.#offsets.at(2 * index + 1) as number };
  }

  push({ start, end }: Range): void {
    this.#offsets.push(start);
    this.#offsets.push(end);
  }

  /** Each index with its range. */
  *entries(): Generator<[number, Range]> {
    for (let index = 0; index < this.length; index += 1) yield [index, this.at(index) as Range];
  }
}
