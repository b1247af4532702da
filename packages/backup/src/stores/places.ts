/**
 * Places in memory for parts of an upload, used again: what is given up is collected late, so that some of it would be in memory
 * beside what is used.
 */
export class Places {
  readonly #size: number;
  readonly #free: Buffer[] = [];

  /** @param size Bytes of the largest part. */
  constructor(size: number) {
    this.#size = size;
  }

  /** Lends a place for as long as a task takes. Where that fails the place is not used again: something may still be at it. */
  async lend<Result>(length: number, task: (place: Buffer) => Promise<Result>): Promise<Result> {
    const place = this.#free.pop() ?? Buffer.allocUnsafe(this.#size);
    const result = await task(place.subarray(0, length));
    this.#free.push(place);
    return result;
  }
}
