/** A list of numbers that grows, outside the heap of JavaScript: 8 bytes a number. */
export class NumberList {
  #numbers = new Float64Array(16);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  at(index: number): number | undefined {
    return index < this.#length ? this.#numbers[index] : undefined;
  }

  push(number: number): void {
    // Moved instead of copied: a copy would be in memory until the next garbage collection.
    if (this.#length === this.#numbers.length)
      this.#numbers = new Float64Array(this.#numbers.buffer.transfer(2 * this.#numbers.byteLength));
    this.#numbers[this.#length] = number;
    this.#length += 1;
  }
}
