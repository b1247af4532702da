import { NumberList } from "../runtime/number_list.ts";

/** The first byte of each text: how it is written. */
const UTF8 = 0;
/** A text with lone surrogates, which UTF-8 cannot represent. */
const UTF16 = 1;

/** Most of the slots that are in use, as a share. */
const MOST_USED = 0.5;

/** Most tables stay empty. */
const [NO_BYTES, NO_SLOTS] = [Buffer.alloc(0), new Uint32Array(0)];

/**
 * Different texts, numbered from 0 in the order in which they were added. They are kept as bytes outside the heap of
 * JavaScript, which takes about a third of the memory of a `Set`.
 */
export class TextTable {
  #bytes = NO_BYTES;
  /** Offset after each text. */
  readonly #ends = new NumberList();
  /** For each slot the number of its text plus 1, or 0: a hash table with linear probing. */
  #slots = NO_SLOTS;
  /** Different in each table, so that no texts have the same slots in all of them. */
  readonly #seed = (Math.random() * 2 ** 32) | 0;

  /** Number of texts. */
  get size(): number {
    return this.#ends.length;
  }

  has(text: string): boolean {
    return this.indexOf(text) !== -1;
  }

  /** The number of a text; -1 if it was not added. */
  indexOf(text: string): number {
    if (this.size === 0) return -1;
    return (this.#slots[this.#slotOf(this.#write(text))] as number) - 1;
  }

  /** Returns false for a text that was added before. */
  add(text: string): boolean {
    if (this.size >= MOST_USED * this.#slots.length) this.#enlarge();
    const end = this.#write(text);
    const slot = this.#slotOf(end);
    if (this.#slots[slot] !== 0) return false;
    this.#ends.push(end);
    this.#slots[slot] = this.size;
    return true;
  }

  get #end(): number {
    return this.#ends.at(this.size - 1) ?? 0;
  }

  /** Writes a text after all others. Returns the offset after it. */
  #write(text: string): number {
    const start = this.#end;
    const most = start + 1 + 3 * text.length;
    if (most > this.#bytes.length) this.#makeRoom(most);
    const isUtf8 = text.isWellFormed();
    this.#bytes[start] = isUtf8 ? UTF8 : UTF16;
    return start + 1 + this.#bytes.write(text, start + 1, isUtf8 ? "utf8" : "utf16le");
  }

  #makeRoom(length: number): void {
    const size = Math.max(2 * this.#bytes.length, length);
    // Moved instead of copied: the former bytes would be in memory until the next garbage collection.
    this.#bytes = this.#bytes === NO_BYTES ? Buffer.alloc(size) : Buffer.from(this.#bytes.buffer.transfer(size));
  }

  /** The slot of the text that was written last: its own, or an empty one. */
  #slotOf(end: number): number {
    const start = this.#end;
    const mask = this.#slots.length - 1;
    let slot = this.#hash(start, end) & mask;
    for (;;) {
      const index = (this.#slots[slot] as number) - 1;
      if (index === -1) return slot;
      const [from, to] = [this.#startOf(index), this.#ends.at(index) as number];
      if (to - from === end - start && this.#bytes.compare(this.#bytes, from, to, start, end) === 0) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #startOf(index: number): number {
    return index === 0 ? 0 : (this.#ends.at(index - 1) as number);
  }

  /** Mixes bytes as MurmurHash3 mixes words. */
  #hash(start: number, end: number): number {
    let hash = this.#seed;
    for (let at = start; at < end; at += 1) {
      const mixed = Math.imul(this.#bytes[at] as number, 0xcc9e2d51);
      hash ^= Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
      hash = Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64;
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return hash ^ (hash >>> 16);
  }

  #enlarge(): void {
    const slots = new Uint32Array(Math.max(16, 2 * this.#slots.length));
    const mask = slots.length - 1;
    for (let index = 0; index < this.size; index += 1) {
      let slot = this.#hash(this.#startOf(index), this.#ends.at(index) as number) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = index + 1;
    }
    this.#slots = slots;
  }
}
