/** Rows in batches, in the order of their keys. */
export type SortedBatches<Row> = AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;

/**
 * Reads two sources of sorted rows side by side, each once, so that the memory does not grow with their number. It waits
 * only for the next batch of a source that is read asynchronously.
 *
 * @param order Compares the keys of two rows.
 * @param visit Gets the rows with the next key; undefined for a source that does not have it.
 */
export async function mergeJoin<Left, Right>(
  left: SortedBatches<Left>,
  right: SortedBatches<Right>,
  order: (left: Left, right: Right) => number,
  visit: (left: Left | undefined, right: Right | undefined) => void,
): Promise<void> {
  const [ours, theirs] = [new Source(left), new Source(right)];
  try {
    for (;;) {
      while (ours.isSpent) await ours.refill();
      while (theirs.isSpent) await theirs.refill();
      const [one, other] = [ours.row, theirs.row];
      if (one === undefined && other === undefined) return;
      const place = one === undefined ? 1 : other === undefined ? -1 : order(one, other);
      visit(place <= 0 ? one : undefined, place >= 0 ? other : undefined);
      if (place <= 0) ours.step();
      if (place >= 0) theirs.step();
    }
  } finally {
    // Also after an error: a connection with an open query cannot be closed.
    await ours.close();
    await theirs.close();
  }
}

type Batches<Row> = AsyncIterator<readonly Row[], unknown> | Iterator<readonly Row[], unknown>;

class Source<Row> {
  readonly #batches: Batches<Row>;
  #batch: readonly Row[] = [];
  #index = 0;
  #ended = false;

  constructor(batches: SortedBatches<Row>) {
    this.#batches = Symbol.asyncIterator in batches ? batches[Symbol.asyncIterator]() : batches[Symbol.iterator]();
  }

  /** The current row; undefined at the end, and if {@link isSpent}. */
  get row(): Row | undefined {
    return this.#batch[this.#index];
  }

  /** True if the batch is used up and {@link refill} may get another. */
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
    this.#batch = done === true ? [] : value;
  }

  /** Ends the source, even if rows remain. */
  async close(): Promise<void> {
    await this.#batches.return?.();
  }
}
