/** A list of numbers that grows, outside the heap of JavaScript: 8 bytes a number. */
export class NumberList {
  #numbers = NONE;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  at(index: number): number | undefined {
    return index < this.#length ? this.#numbers[index] : undefined;
  }

  /** @param index Smaller than the length. */
  set(index: number, number: number): void {
    this.#numbers[index] = number;
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) this.#numbers = enlarged(this.#numbers);
    this.#numbers[this.#length] = number;
    this.#length += 1;
  }
}

/** Most lists stay empty. */
const NONE = new Float64Array(0);

/** Moved instead of copied: the former array would be in memory until the next garbage collection. */
function enlarged(numbers: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  return numbers === NONE ? new Float64Array(16) : new Float64Array(numbers.buffer.transfer(2 * numbers.byteLength));
}
