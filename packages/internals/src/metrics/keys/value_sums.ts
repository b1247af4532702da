/**
 * Sums as a JSON array: the number of interactions, that of successes, the buckets of response times, each with its count,
 * then a sum for the response times and one for each number. Null stands for a sum that is not known, or beyond the range
 * of a double.
 */
export type StoredSums = [operations: number, successes: number, buckets: number[], ...numbers: StoredNumber[]];

/** {@link NumberSum}; what is 0 at its end is left out. */
type StoredNumber = (number | null)[];

/** An interaction that is added to sums. */
export interface SummedRow {
  success: boolean;
  /** Response time and numbers; null where the row has none. */
  numbers: readonly (number | null)[];
  /** Bucket of the response time; null without one. */
  bucket: number | null;
}

/** Rest of a sum, relative to what was subtracted, below which rounding errors may be larger than the rest. */
const SMALLEST_REST = 1e-10;

/**
 * Numbers that are not negative, then the negative ones, so that no cancellation loses digits: how many there are, their
 * sum, and the rounding error of its additions (Knuth's two-sum). The sum is NaN if only the rows can tell it.
 */
type NumberSum = [number, number, number, number, number, number];

/** Indexes at which the two parts of a {@link NumberSum} begin. */
const PARTS = [0, 3] as const;

/** Sums of interactions: their number, successes, response times and numbers. */
export class ValueSums {
  readonly #numbers: NumberSum[];
  readonly #buckets: Map<number, number>;
  operations: number;
  successes: number;

  private constructor(operations: number, successes: number, numbers: NumberSum[], buckets: Map<number, number>) {
    this.operations = operations;
    this.successes = successes;
    this.#numbers = numbers;
    this.#buckets = buckets;
  }

  /** @param numbers How many numbers are summed, with the response time. */
  static none(numbers: number): ValueSums {
    return new ValueSums(
      0,
      0,
      Array.from({ length: numbers }, () => [0, 0, 0, 0, 0, 0]),
      new Map(),
    );
  }

  static read([operations, successes, pairs, ...numbers]: StoredSums): ValueSums {
    const buckets = new Map<number, number>();
    for (let at = 0; at < pairs.length; at += 2) buckets.set(pairs[at] as number, pairs[at + 1] as number);
    const sums = numbers.map((stored): NumberSum => {
      const sum: NumberSum = [0, 0, 0, 0, 0, 0];
      for (const [at, part] of stored.entries()) sum[at] = part ?? Number.NaN;
      return sum;
    });
    return new ValueSums(operations, successes, sums, buckets);
  }

  stored(): StoredSums {
    const buckets = [...this.#buckets].toSorted(([one], [other]) => one - other).flat();
    const numbers = this.#numbers.map((sum) => sum.slice(0, 1 + sum.findLastIndex((part) => part !== 0)));
    return [this.operations, this.successes, buckets, ...numbers];
  }

  add({ success, numbers, bucket }: SummedRow): void {
    this.operations += 1;
    if (success) this.successes += 1;
    for (const [index, number] of numbers.entries()) {
      if (number === null) continue;
      add(this.#numbers[index] as NumberSum, number < 0 ? 3 : 0, [1, number, 0]);
    }
    if (bucket !== null) this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
  }

  join(other: ValueSums): void {
    this.operations += other.operations;
    this.successes += other.successes;
    for (const [index, added] of other.#numbers.entries())
      for (const at of PARTS) add(this.#numbers[index] as NumberSum, at, partOf(added, at));
    for (const [bucket, count] of other.#buckets) this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + count);
  }

  subtract(other: ValueSums): void {
    this.operations -= other.operations;
    this.successes -= other.successes;
    for (const [index, removed] of other.#numbers.entries()) {
      const sum = this.#numbers[index] as NumberSum;
      for (const at of PARTS) {
        const [count, total, lost] = partOf(removed, at);
        add(sum, at, [-count, -total, -lost]);
        if (sum[at] === 0) sum.fill(0, at, at + 3);
        else if (Math.abs(sum[at + 1] as number) < SMALLEST_REST * Math.abs(total)) sum[at + 1] = Number.NaN;
      }
    }
    for (const [bucket, count] of other.#buckets) {
      const left = (this.#buckets.get(bucket) ?? 0) - count;
      if (left === 0) this.#buckets.delete(bucket);
      else this.#buckets.set(bucket, left);
    }
  }

  get buckets(): ReadonlyMap<number, number> {
    return this.#buckets;
  }

  /** True if a response time is negative. */
  get hasNegativeTimes(): boolean {
    return (this.#numbers[0]?.[3] ?? 0) > 0;
  }

  /** Number and sum of the response times, then of each number; a sum that is not finite is not known. */
  totals(): { count: number; sum: number }[] {
    return this.#numbers.map(([positives, positive, lost, negatives, negative, negativeLost]) => ({
      count: positives + negatives,
      sum: positive + lost + (negative + negativeLost),
    }));
  }
}

type Part = [count: number, sum: number, lost: number];

const partOf = (sum: NumberSum, at: 0 | 3): Part => [sum[at], sum[at + 1] as number, sum[at + 2] as number];

/** Adds numbers to one of the two parts of a sum. */
function add(sum: NumberSum, at: 0 | 3, [count, number, lost]: Part): void {
  const [known, before, knownLost] = partOf(sum, at);
  const after = before + number;
  const added = after - before;
  sum[at] = known + count;
  sum[at + 1] = after;
  sum[at + 2] = knownLost + lost + (before - (after - added)) + (number - added);
}
