import { expect } from "vitest";

interface WithMean {
  avg_response_time_ms: number;
}

/** Compares statistics; means may be rounded differently. */
export function expectCloseMeans(got: readonly WithMean[], expected: readonly WithMean[], name: string): void {
  const close = got.map((each, index) => {
    const mean = expected[index]?.avg_response_time_ms ?? Number.NaN;
    const isClose = Math.abs(each.avg_response_time_ms - mean) <= 1e-9 * Math.max(1, Math.abs(mean));
    return isClose ? { ...each, avg_response_time_ms: mean } : each;
  });
  expect(close, name).toEqual(expected);
}
