import { expect, test } from "vitest";
import { durationText, TimeLeft } from "../src/time_left.ts";

/** Estimate after observations, each of them `milliseconds:done`. */
function secondsLeft(seen: string, total: number): number | null {
  const estimate = new TimeLeft();
  for (const [, at, done] of seen.matchAll(/(\d+):([\d.]+)/g)) estimate.observe(Number(done), Number(at));
  return estimate.seconds(total);
}

/** Observations of a constant speed, a second apart. */
const steady = (seconds: number, speed: number, from = 0, done = 0): string =>
  Array.from({ length: seconds + 1 }, (_unused, second) => `${(from + second) * 1000}:${done + second * speed}`).join(
    " ",
  );

test("estimates nothing before two seconds and 3 %", () => {
  expect(secondsLeft("", 100)).toBeNull();
  expect(secondsLeft("0:0", 100)).toBeNull();
  expect(secondsLeft("0:0 1000:10 1999:20", 100)).toBeNull();
  expect(secondsLeft("0:0 1000:10 2000:20", 100)).toBe(8);
  expect(secondsLeft("5000:0 6000:10 6999:20", 100)).toBeNull();
  expect(secondsLeft("0:0 1000:1 2000:2", 100)).toBeNull();
  expect(secondsLeft("0:0 1000:1.5 2000:3", 100)).toBeCloseTo(97 / 1.5);
});

test("estimates nothing at the end or without progress", () => {
  expect(secondsLeft("0:0 1000:50 2000:100", 100)).toBeNull();
  expect(secondsLeft("0:0 1000:50 2000:150", 100)).toBeNull();
  expect(secondsLeft("0:0 1000:50 3000:50", 100)).toBeNull();
  expect(secondsLeft("0:50 1000:50 3000:50", 100)).toBeNull();
});

test("estimates nothing if the speed is more than twice or less than half the mean", () => {
  // The mean is 10 a second.
  expect(secondsLeft("0:0 5000:0 10000:100", 1000)).toBe(45);
  expect(secondsLeft("0:0 5001:0 10000:100", 1000)).toBeNull();
  expect(secondsLeft("0:0 6000:80 10000:100", 1000)).toBe(180);
  expect(secondsLeft("0:0 6000:80.1 10000:100", 1000)).toBeNull();
});

test("uses the speed of the last ten seconds", () => {
  // 10 a second for half a minute, then 15.
  expect(secondsLeft(`${steady(30, 10)} ${steady(14, 15, 31, 315)}`, 1275)).toBeCloseTo(50);
  // Observations from ten seconds ago still belong to the window, with their values.
  expect(secondsLeft("0:0 1000:5 2000:10 12000:110", 1000)).toBeCloseTo(890 / (105 / 11));
  expect(secondsLeft("0:0 1000:5 2000:10 12001:110", 1000)).toBeCloseTo(890 / (100 / 10.001));
});

test("ignores observations within a tenth of a second", () => {
  expect(secondsLeft("0:0 99:5 2000:20", 100)).toBeNull();
  expect(secondsLeft("0:0 100:1 2000:20", 100)).toBe(8);
  expect(secondsLeft("0:0 1000:10 2000:20 2099:95", 100)).toBe(8);
});

test("measures a step again if its count restarts", () => {
  expect(secondsLeft(`${steady(5, 10)} 6000:0 7000:20 8000:40`, 100)).toBe(3);
  expect(secondsLeft(`${steady(5, 10)} 6000:0 7000:20`, 100)).toBeNull();
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
