import { expect, test } from "vitest";
import { type Budget, growthOf, growthText } from "../../dev/tools/tests/budget.ts";

const COMMITTED: Budget = { cases: 100, lines: 50, migrator: 400, soak: 150, small: 1 };
const times = (factor: number, more: Budget = {}): { cpu_seconds: Record<string, number> } => ({
  cpu_seconds: {
    ...Object.fromEntries(Object.entries(COMMITTED).map(([project, seconds]) => [project, seconds * factor])),
    ...more,
  },
});
const grown = (run: ReturnType<typeof times>): string[] =>
  growthOf(run, COMMITTED)
    .filter((growth) => growth.grown)
    .map(({ project }) => project);

test.each([0.4, 1, 3])("on a machine %d times as slow, no project counts as grown", (factor) => {
  expect(grown(times(factor))).toEqual([]);
  expect(growthText(growthOf(times(factor), COMMITTED))).toContain("no test project grew");
});

test.each([0.4, 1, 3])("names a project that grew by more than 10 %, on a machine %d times as slow", (factor) => {
  const run = times(factor, { migrator: 400 * factor * 1.15, lines: 50 * factor * 1.05 });
  expect(grown(run)).toEqual(["migrator"]);
  const said = growthText(growthOf(run, COMMITTED));
  expect(said).toMatch(/^ {3}migrator: [\d.]+ s, expected [\d.]+ s \(\+15 %\)$/m);
  expect(said).not.toContain("lines");
});

test("ignores a growth of one second, and names a project without a committed figure", () => {
  expect(grown(times(1, { small: 2.5 }))).toEqual([]);
  expect(grown(times(1, { another: 3 }))).toEqual(["another"]);
  expect(growthText(growthOf(times(1, { another: 3 }), COMMITTED))).toContain(
    "another: 3.0 s, with no committed figure",
  );
});
