import fc from "fast-check";
import { mulberry32 } from "../mulberry32.ts";

/** Chance that comes from a seed alone: the same seed gives the same choices on every machine. */
export class Chance {
  readonly #next: () => number;

  /** @param parts What the choices are for; any other gives others. */
  constructor(...parts: readonly (string | number)[]) {
    this.#next = mulberry32(hashOf(parts.join("\n")));
  }

  /** A whole number from 0 to one less than `bound`. */
  below(bound: number): number {
    return Math.floor(this.#next() * bound);
  }

  /** True in so many of a hundred cases. */
  percent(share: number): boolean {
    return this.below(100) < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined && items.length === 0) throw new Error("There is nothing to pick from.");
    return item as Item;
  }

  /** Something that fast-check makes. */
  made<Value>(arbitrary: fc.Arbitrary<Value>): Value {
    return fc.sample(arbitrary, { seed: this.below(2 ** 31), numRuns: 1 })[0] as Value;
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
