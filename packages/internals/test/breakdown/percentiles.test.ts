import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  BUCKET,
  percentilesOfBuckets,
  percentilesOfTimes,
  RELATIVE_ERROR,
} from "../../src/metrics/breakdown/percentiles.ts";

const database = new Sqlite(":memory:");
const bucketOf = database.prepare(`SELECT ${BUCKET} FROM (SELECT ? AS response_time_ms)`).pluck();

function bucketsOf(times: readonly number[]): Map<number, number> {
  const buckets = new Map<number, number>();
  for (const time of times) {
    const bucket = bucketOf.get(time) as number;
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
  }
  return buckets;
}

/** Response times of programs: a few milliseconds, seconds, and the largest ones that a double holds. */
const time = fc.oneof(
  fc.constant(0),
  fc.double({ min: 1e-3, max: 1e5, noNaN: true }),
  fc.double({ min: 1, max: 1e308, noNaN: true }),
);
const NAMES = ["p50", "p95", "p99"] as const;

test("percentiles of buckets differ by at most the relative error", () => {
  fc.assert(
    fc.property(fc.array(time, { minLength: 1, maxLength: 200 }), (times) => {
      const [found, exact] = [percentilesOfBuckets(bucketsOf(times)), percentilesOfTimes(times)];
      for (const name of NAMES) {
        const [estimate, expected] = [found[name] as number, exact[name] as number];
        // Rounding adds to the error.
        expect(Math.abs(estimate - expected)).toBeLessThanOrEqual(RELATIVE_ERROR * 1.0001 * expected);
      }
    }),
    { numRuns: 200 * Number(process.env["PERDURA_RUNS"] ?? 1) },
  );
});

test("buckets are in the order of times, negative ones too", () => {
  const times = [-9e9, -5, -1e-3, -1e-9, 0, 1e-9, 2e-3, 1, 1.5, 1e300];
  const buckets = times.map((each) => bucketOf.get(each) as number);
  expect(buckets).toEqual(buckets.toSorted((one, other) => one - other));
  expect(new Set(buckets).size).toBe(times.length - 2);
  for (const each of [null, Infinity, "fast", Buffer.from("7")]) expect(bucketOf.get(each)).toBeNull();
});

test("without a time there is no percentile", () => {
  expect(percentilesOfBuckets(new Map())).toEqual({ p50: null, p95: null, p99: null });
  expect(percentilesOfTimes([])).toEqual({ p50: null, p95: null, p99: null });
});

test("exact percentiles are interpolated", () => {
  expect(percentilesOfTimes([4, 1, 3, 2])).toEqual({
    p50: 2.5,
    p95: expect.closeTo(3.85, 12) as number,
    p99: expect.closeTo(3.97, 12) as number,
  });
  expect(percentilesOfTimes([-1.7e308, 1.7e308]).p50).toBe(0);
});
