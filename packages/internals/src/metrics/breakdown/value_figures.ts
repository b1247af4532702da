import { SCALE } from "../aggregates.ts";
import { rate } from "../user_stats.ts";
import type { BreakdownFigures } from "./breakdown.ts";
import { percentilesOfBuckets, percentilesOfTimes } from "./percentiles.ts";

/** One interaction, or the sums of several with times of one bucket. */
export interface FoundPart extends Record<`sum${number}` | `count${number}`, number | null> {
  operations: number;
  successes: number;
  /** Number of finite response times. */
  measured: number;
  /** Sum of the finite response times; infinite if it is beyond the range of a double. */
  ms: number;
  /** The same divided by {@link SCALE}, which is finite. */
  scaled: number;
  /** Null if the parts are single interactions. */
  bucket: number | null;
}

/** Sums of the interactions with one value. */
export interface SumsOfValue {
  operations: number;
  successes: number;
  buckets: ReadonlyMap<number, number>;
  /** Of the response times, then of the numbers. */
  totals: readonly { count: number; sum: number }[];
}

/** Figures of the interactions with one value, to which parts are added. */
export class ValueFigures {
  readonly #numbers: readonly string[];
  readonly #buckets = new Map<number, number>();
  readonly #sums: { count: number; sum: number }[];
  #times: number[] = [];
  #successes = 0;
  #measured = 0;
  #ms = 0;
  #scaled = 0;
  operations = 0;

  /** @param numbers Keys whose numbers are summed. */
  constructor(numbers: readonly string[]) {
    this.#numbers = numbers;
    this.#sums = numbers.map(() => ({ count: 0, sum: 0 }));
  }

  add(part: FoundPart): void {
    this.operations += part.operations;
    this.#successes += part.successes;
    this.#measured += part.measured;
    this.#ms += part.ms;
    this.#scaled += part.scaled;
    if (part.bucket !== null) this.#buckets.set(part.bucket, (this.#buckets.get(part.bucket) ?? 0) + part.measured);
    else if (part.measured > 0) this.#times.push(part.ms);
    for (const [index, known] of this.#sums.entries()) {
      known.count += part[`count${index}`] ?? 0;
      known.sum += part[`sum${index}`] ?? 0;
    }
  }

  /** Adds stored sums, of which each is finite. */
  addSums({ operations, successes, buckets, totals }: SumsOfValue): void {
    const [times = { count: 0, sum: 0 }, ...numbers] = totals;
    this.operations += operations;
    this.#successes += successes;
    this.#measured += times.count;
    this.#ms += times.sum;
    this.#scaled += times.sum / SCALE;
    for (const [bucket, count] of buckets) this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + count);
    for (const [index, { count, sum }] of numbers.entries()) {
      const known = this.#sums[index] as { count: number; sum: number };
      known.count += count;
      known.sum += sum;
    }
  }

  /** Adds the figures of another value. */
  join(other: ValueFigures): void {
    this.operations += other.operations;
    this.#successes += other.#successes;
    this.#measured += other.#measured;
    this.#ms += other.#ms;
    this.#scaled += other.#scaled;
    this.#times = this.#times.concat(other.#times);
    for (const [bucket, times] of other.#buckets) this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + times);
    for (const [index, known] of this.#sums.entries()) {
      known.count += other.#sums[index]?.count ?? 0;
      known.sum += other.#sums[index]?.sum ?? 0;
    }
  }

  result(): BreakdownFigures {
    const mean = rate(this.#ms, this.#measured);
    return {
      total_operations: this.operations,
      success_rate: rate(this.#successes, this.operations),
      avg_response_time_ms: Number.isFinite(mean) ? mean : rate(this.#scaled, this.#measured) * SCALE,
      ...(this.#buckets.size > 0 ? percentilesOfBuckets(this.#buckets) : percentilesOfTimes(this.#times)),
      ...(this.#numbers.length === 0 ? {} : { numbers: this.#numberFigures() }),
    };
  }

  #numberFigures(): NonNullable<BreakdownFigures["numbers"]> {
    const figures = this.#sums.map(({ count, sum }) => ({ count, sum, mean: rate(sum, count) }));
    return Object.fromEntries(
      this.#numbers.map((name, index) => [name, figures[index] ?? { count: 0, sum: 0, mean: 0 }]),
    );
  }
}
