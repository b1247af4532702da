import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseTests, type Concerned } from "../../tools/tests/choose_tests.ts";

const file = (name: string, took: number | undefined, first = false): Concerned => ({ file: name, took, first });
const names = (tests: readonly Concerned[]): string[] => tests.map((each) => each.file);

const CHANGED = ["packages/backup/src/prune/keep_policy.ts"];

test("those that are called like what was changed come first, then the quickest", () => {
  const concerned = [
    file("packages/backup/test/cli/terminal.test.ts", 20_000),
    file("soak/test/together.test.ts", 10),
    file("packages/backup/test/prune.test.ts", 3000),
    file("packages/backup/test/usage.test.ts", 500),
    file("packages/backup/test/keep_policy.test.ts", 9000),
  ];
  expect(names(chooseTests(concerned, CHANGED, 13_000))).toEqual([
    "packages/backup/test/keep_policy.test.ts",
    "packages/backup/test/prune.test.ts",
    "packages/backup/test/usage.test.ts",
    "soak/test/together.test.ts",
  ]);
});

test("what was changed itself, failed, or was never run is not left out", () => {
  const concerned = [file("a.test.ts", 1), file("b.test.ts", 50_000, true), file("c.test.ts", undefined)];
  expect(names(chooseTests(concerned, CHANGED, 0))).toEqual(["b.test.ts", "c.test.ts"]);
});

test("without a limit all are chosen; with one, what is chosen fits, and nothing that would still fit is left out", () => {
  const some = fc.array(fc.tuple(fc.constantFrom("prune", "policy", "other", "keep"), fc.nat({ max: 9000 })));
  fc.assert(
    fc.property(some, fc.nat({ max: 30_000 }), (tests, room) => {
      const concerned = tests.map(([name, took], index) => file(`packages/x/test/${name}_${index}.test.ts`, took));
      expect(chooseTests(concerned, CHANGED, Number.POSITIVE_INFINITY)).toHaveLength(concerned.length);
      const chosen = chooseTests(concerned, CHANGED, room);
      const sum = chosen.reduce((total, { took = 0 }) => total + took, 0);
      expect(sum).toBeLessThanOrEqual(room);
      for (const { took = 0 } of concerned.filter((each) => !chosen.includes(each)))
        expect(took).toBeGreaterThan(room - sum);
    }),
  );
});
