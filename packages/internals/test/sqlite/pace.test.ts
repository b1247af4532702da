import { expect, test } from "vitest";
import { Pace } from "../../src/sqlite/pace.ts";

test("takes fewer rows after a transaction that was too slow, but not too few", () => {
  const pace = new Pace(256);
  pace.slowDown(20, 20);
  expect(pace.rows).toBe(256);
  pace.slowDown(80, 20);
  expect(pace.rows).toBe(64);
  pace.slowDown(80_000, 20);
  expect(pace.rows).toBe(16);
  const small = new Pace(4);
  small.slowDown(80, 20);
  expect(small.rows).toBe(4);
});
