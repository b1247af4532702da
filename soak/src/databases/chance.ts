import { createHash } from "node:crypto";
import { mulberry32 } from "../mulberry32.ts";

/** Numbers that look like chance and are the same for the same words. */
export class Chance {
  /** From 0 to below 1. */
  readonly next: () => number;

  constructor(...words: readonly (string | number)[]) {
    this.next = mulberry32(createHash("sha256").update(words.join(" ")).digest().readInt32LE());
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  of<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}
