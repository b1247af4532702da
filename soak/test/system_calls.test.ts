import { expect, test } from "vitest";
import { isMeant } from "../src/system_calls/points.ts";
import { missedBelow } from "../src/system_calls/strace.ts";

test("a log tells whether the call that failed was about the data", () => {
  const failed = (place: string): string =>
    `write(2<socket:[5]>, ""..., 202) = 202\nwrite(6<${place}>, ""..., 1) = -1 EIO (Input/output error) (INJECTED)\n`;
  expect(missedBelow("/data", failed("pipe:[12]"))).toBe(true);
  expect(missedBelow("/data", failed("/data/metrics.db"))).toBe(false);
  // None has failed yet.
  expect(missedBelow("/data", 'write(6<pipe:[12]>, ""..., 1) = 1\nwrite(6<pipe:[12]>, ""..., 1')).toBe(false);
});

test("a point is meant by its name or by the beginning of one", () => {
  for (const meant of [undefined, "program:statx:2", "program:statx", "program"])
    expect(isMeant("program:statx:2", meant)).toBe(true);
  for (const other of ["program:stat", "program:statx:20", "child1", "program:statx:2:1"])
    expect(isMeant("program:statx:2", other)).toBe(false);
});
