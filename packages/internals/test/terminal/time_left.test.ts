import { expect, test } from "vitest";
import { durationText, TimeLeft } from "../../src/terminal/time_left.ts";

/** What is told after observations of [milliseconds, done]. */
function told(seen: readonly (readonly [number, number])[], total: number): number | null {
  const estimate = new TimeLeft();
  for (const [at, done] of seen) estimate.observe(done, at);
  return estimate.seconds(total);
}

/** Observations of a speed that does not change, a second apart. */
const steady = (seconds: number, speed: number): [number, number][] =>
  Array.from({ length: seconds + 1 }, (_unused, second) => [second * 1000, second * speed]);

test("nothing is told before two seconds, and before three hundredths are done", () => {
  expect(told([], 100)).toBeNull();
  expect(told([[0, 0]], 100)).toBeNull();
  expect(
    told(
      [
        [0, 0],
        [1000, 10],
        [1999, 20],
      ],
      100,
    ),
  ).toBeNull();
  expect(
    told(
      [
        [0, 0],
        [1000, 10],
        [2000, 20],
      ],
      100,
    ),
  ).toBe(8);
  expect(
    told(
      [
        [0, 0],
        [1000, 1],
        [2000, 2],
      ],
      100,
    ),
  ).toBeNull();
  expect(
    told(
      [
        [0, 0],
        [1000, 1.5],
        [2000, 3],
      ],
      100,
    ),
  ).toBeCloseTo(97 / 1.5);
});

test("nothing is told when all is done, or nothing goes on", () => {
  expect(
    told(
      [
        [0, 0],
        [1000, 50],
        [2000, 100],
      ],
      100,
    ),
  ).toBeNull();
  expect(
    told(
      [
        [0, 0],
        [1000, 50],
        [2000, 150],
      ],
      100,
    ),
  ).toBeNull();
  expect(
    told(
      [
        [0, 0],
        [1000, 50],
        [3000, 50],
      ],
      100,
    ),
  ).toBeNull();
});

test("nothing is told where the speed is more than twice the mean, or less than half of it", () => {
  // The mean is 10 a second.
  expect(
    told(
      [
        [0, 0],
        [5000, 0],
        [10_000, 100],
      ],
      1000,
    ),
  ).toBe(45);
  expect(
    told(
      [
        [0, 0],
        [5001, 0],
        [10_000, 100],
      ],
      1000,
    ),
  ).toBeNull();
  expect(
    told(
      [
        [0, 0],
        [6000, 80],
        [10_000, 100],
      ],
      1000,
    ),
  ).toBe(180);
  expect(
    told(
      [
        [0, 0],
        [6000, 80.1],
        [10_000, 100],
      ],
      1000,
    ),
  ).toBeNull();
});

test("the speed is that of the last ten seconds", () => {
  // 10 a second for half a minute, then 15.
  const slow = steady(30, 10);
  const fast = Array.from({ length: 15 }, (_unused, second): [number, number] => [
    31_000 + second * 1000,
    300 + 15 * (second + 1),
  ]);
  expect(told([...slow, ...fast], 1275)).toBeCloseTo(50);
});

test("what is observed within a tenth of a second is not noted", () => {
  expect(
    told(
      [
        [0, 0],
        [99, 5],
        [2000, 20],
      ],
      100,
    ),
  ).toBeNull();
  expect(
    told(
      [
        [0, 0],
        [100, 1],
        [2000, 20],
      ],
      100,
    ),
  ).toBe(8);
});

test("a step that begins anew is measured anew", () => {
  expect(told([...steady(5, 10), [6000, 0], [7000, 20], [8000, 40]], 100)).toBe(3);
  expect(told([...steady(5, 10), [6000, 0], [7000, 20]], 100)).toBeNull();
});

test("an instant is no division by zero", () => {
  expect(
    told(
      [
        [0, 0],
        [2000, 10],
        [2000, 20],
        [2100, 20],
      ],
      100,
    ),
  ).not.toBe(Infinity);
});

test.each([
  [0, "about 5 s"],
  [5, "about 5 s"],
  [5.1, "about 10 s"],
  [59, "about 60 s"],
  [60, "about 1 min"],
  [89, "about 1 min"],
  [90, "about 2 min"],
  [3569, "about 59 min"],
  [3570, "about 1 h"],
  [3600, "about 1 h"],
  [4900, "about 1 h 20 min"],
  [7199, "about 2 h"],
  [7200 + 50 * 60, "about 2 h 50 min"],
])("%d seconds are %s", (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
