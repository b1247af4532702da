import type { Row } from "./row_values.ts";

/** Rows that come some at a time, one by one: only for the next some is anything waited for. */
export class MergedRows {
  readonly #batches: AsyncIterator<readonly Row[]> | Iterator<readonly Row[]>;
  #batch: readonly Row[] = [];
  #index = 0;
  #ended = false;

  constructor(batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>) {
    this.#batches = Symbol.asyncIterator in batches ? batches[Symbol.asyncIterator]() : batches[Symbol.iterator]();
  }

  /** The row at hand; undefined at the end, and where {@link isSpent}. */
  get row(): Row | undefined {
    return this.#batch[this.#index];
  }

  /** True where there may be more, which {@link refill} gets. */
  get isSpent(): boolean {
    return !this.#ended && this.#index >= this.#batch.length;
  }

  step(): void {
    this.#index += 1;
  }

  async refill(): Promise<void> {
    const { done, value } = await this.#batches.next();
    this.#index = 0;
    this.#ended = done === true;
    this.#batch = this.#ended ? [] : (value as readonly Row[]);
  }

  /** Ends what the rows come from, also where not all were taken. */
  async close(): Promise<void> {
    await this.#batches.return?.();
  }
}
