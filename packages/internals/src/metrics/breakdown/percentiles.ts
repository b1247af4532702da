import { MEASURED } from "../aggregates.ts";

/** Response times in milliseconds below which 50, 95 and 99 of 100 are; null without a finite response time. */
export interface Percentiles {
  /** The median. */
  p50: number | null;
  /** 95 of 100 interactions are not slower. */
  p95: number | null;
  /** 99 of 100 interactions are not slower. */
  p99: number | null;
}

/** Without a finite response time. */
export const NO_PERCENTILES: Percentiles = { p50: null, p95: null, p99: null };

const FRACTIONS = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;

/** Up to this number of interactions percentiles are exact: their times are in memory. */
export const EXACT_UP_TO = 100_000;

/** Largest relative error of a percentile that is computed from {@link BUCKET}. */
export const RELATIVE_ERROR = 0.01;

/** Quotient of the limits of a bucket: every time in it differs from the estimate by at most the relative error. */
const GAMMA = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);

/** Times that are closer to 0 count as 0. */
const SMALLEST = 1e-6;

/** Added to the exponent of a bucket, so that numbers of buckets of positive times are positive. */
const OFFSET = 100_000;

/**
 * SQL for the bucket of a response time, an integer in the order of times: the exponent of {@link GAMMA} of the bucket's
 * upper limit (DDSketch: Masson, Rim and Lee, 2019). The counts of buckets of two sets can be added. Null without a
 * finite response time.
 *
 * @param time SQL for the response time as a floating-point number.
 */
export function bucketOf(time: string, isMeasured: string): string {
  return `CASE WHEN ${isMeasured} THEN CASE WHEN abs(${time}) < ${SMALLEST} THEN 0
    ELSE CAST(sign(${time}) * (${OFFSET} + ceil(ln(abs(${time})) / ${Math.log(GAMMA)})) AS INTEGER) END END`;
}

/** The same for the rows of an SQLite database. */
export const BUCKET: string = bucketOf("(response_time_ms * 1.0)", MEASURED);

/** The time for which a bucket stands. */
function estimateOf(bucket: number): number {
  if (bucket === 0) return 0;
  // From the lower limit, because the upper one may be beyond the range of a double.
  const time = GAMMA ** (Math.abs(bucket) - OFFSET - 1) * ((2 * GAMMA) / (GAMMA + 1));
  return Math.sign(bucket) * Math.min(time, Number.MAX_VALUE);
}

/**
 * Percentiles of times that are in order. Between two times they are interpolated, as PostgreSQL's `percentile_cont` does.
 *
 * @param timeAt The time at an index from 0.
 */
function percentilesOf(count: number, timeAt: (index: number) => number): Percentiles {
  const at = (fraction: number): number | null => {
    if (count === 0) return null;
    const place = fraction * (count - 1);
    const [lower, upper] = [timeAt(Math.floor(place)), timeAt(Math.ceil(place))];
    const part = place - Math.floor(place);
    const difference = upper - lower;
    if (difference === 0) return lower;
    // The difference of two times may be beyond the range of a double.
    return Number.isFinite(difference) ? lower + difference * part : lower * (1 - part) + upper * part;
  };
  return { p50: at(FRACTIONS.p50), p95: at(FRACTIONS.p95), p99: at(FRACTIONS.p99) };
}

/** Exact percentiles of times in any order. */
export function percentilesOfTimes(times: readonly number[]): Percentiles {
  const sorted = Float64Array.from(times).toSorted();
  return percentilesOf(sorted.length, (index) => sorted[index] as number);
}

/** Percentiles of times by bucket, with a relative error of at most {@link RELATIVE_ERROR}. */
export function percentilesOfBuckets(buckets: ReadonlyMap<number, number>): Percentiles {
  const ends: { bucket: number; end: number }[] = [];
  let count = 0;
  for (const [bucket, times] of [...buckets].toSorted(([one], [other]) => one - other))
    ends.push({ bucket, end: (count += times) });
  return percentilesOf(count, (index) => estimateOf(ends.find(({ end }) => index < end)?.bucket as number));
}
