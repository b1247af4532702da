/** Numbers of pages of a database, a bit for each page that it has: as small for a long list of free pages as for none. */
export class PageSet {
  readonly #bits: Uint8Array;
  readonly #pages: number;
  #size = 0;

  /** @param pages The highest number that can be in it. */
  constructor(pages: number) {
    this.#pages = pages;
    this.#bits = new Uint8Array(Math.floor(pages / 8) + 1);
  }

  get size(): number {
    return this.#size;
  }

  has(page: number): boolean {
    return ((this.#bits[page >>> 3] ?? 0) & (1 << (page & 7))) !== 0;
  }

  /** False where no page has that number, or where it is in the set already. */
  add(page: number): boolean {
    if (page < 1 || page > this.#pages || this.has(page)) return false;
    this.#bits[page >>> 3] = (this.#bits[page >>> 3] as number) | (1 << (page & 7));
    this.#size += 1;
    return true;
  }
}
