import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readersOf } from "../../dev/tools/tests/readers.ts";
import { type AffectedTest, selectTests } from "../../dev/tools/tests/select_tests.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const file = (name: string, durationMs: number | undefined, mustRun = false): AffectedTest => ({
  file: name,
  durationMs,
  mustRun,
});
const names = (tests: readonly AffectedTest[]): string[] => tests.map((each) => each.file);

const CHANGED = ["packages/backup/src/prune/keep_policy.ts"];

test("selects the files with names most similar to the changed file first, then the fastest", () => {
  const affected = [
    file("packages/backup/test/cli/terminal.test.ts", 20_000),
    file("dev/soak/test/together.test.ts", 10),
    file("packages/backup/test/prune.test.ts", 3000),
    file("packages/backup/test/usage.test.ts", 500),
    file("packages/backup/test/keep_policy.test.ts", 9000),
  ];
  expect(names(selectTests(affected, CHANGED, 13_000))).toEqual([
    "packages/backup/test/keep_policy.test.ts",
    "packages/backup/test/prune.test.ts",
    "packages/backup/test/usage.test.ts",
    "dev/soak/test/together.test.ts",
  ]);
});

test("always selects tests that must run, and assumes two seconds for those that were never run", () => {
  const affected = [file("a.test.ts", 1), file("b.test.ts", 50_000, true), file("c.test.ts", undefined)];
  expect(names(selectTests(affected, CHANGED, 0))).toEqual(["b.test.ts"]);
  expect(names(selectTests(affected, CHANGED, 52_001))).toEqual(["b.test.ts", "a.test.ts", "c.test.ts"]);
  expect(names(selectTests(affected, CHANGED, 52_000))).toEqual(["b.test.ts", "a.test.ts"]);
});

test("selects all tests without a limit, and as many as fit with one", () => {
  const some = fc.array(fc.tuple(fc.constantFrom("prune", "policy", "other", "keep"), fc.nat({ max: 9000 })));
  fc.assert(
    fc.property(some, fc.nat({ max: 30_000 }), (tests, budgetMs) => {
      const affected = tests.map(([name, durationMs], index) =>
        file(`packages/x/test/${name}_${index}.test.ts`, durationMs),
      );
      expect(selectTests(affected, CHANGED, Number.POSITIVE_INFINITY)).toHaveLength(affected.length);
      const selected = selectTests(affected, CHANGED, budgetMs);
      const sum = selected.reduce((total, { durationMs = 0 }) => total + durationMs, 0);
      expect(sum).toBeLessThanOrEqual(budgetMs);
      for (const { durationMs = 0 } of affected.filter((each) => !selected.includes(each)))
        expect(durationMs).toBeGreaterThan(budgetMs - sum);
    }),
  );
});

describe("readers of a changed file", () => {
  const modules = {
    "packages/x/src/cases.ts": 'const CASES = new URL("../cases/", import.meta.url);',
    "packages/x/src/cli.ts": 'import { a } from "./cases.ts"; await import("./serve.ts");',
    "packages/x/src/serve.ts": 'import type { B } from "./types.ts"; import { c } from "@perdura/y/some/helper.js";',
    "packages/x/test/cli.test.ts": 'start(new URL("../src/cli.ts", import.meta.url));',
    "packages/x/test/start.test.ts": "start(new URL(`programs/${name}`, import.meta.url));",
    "test/repository/guides.test.ts": 'const path = join(root, "docs/guides/a.md");',
    "test/repository/links.test.ts": 'const root = fileURLToPath(new URL("../../", import.meta.url));',
    "test/repository/own.test.ts": 'const root = new URL("../../", import.meta.url); read(join(root, "docs"));',
  };
  const readers = (changed: string): string[] =>
    readersOf(root, [changed], Object.keys(modules), (module) => modules[module as keyof typeof modules]);

  test.each([
    [
      "packages/x/cases/metrics/new.json",
      [
        "packages/x/src/cases.ts",
        "packages/x/src/cli.ts",
        "packages/x/test/cli.test.ts",
        "test/repository/links.test.ts",
      ],
    ],
    [
      "packages/y/src/some/helper.ts",
      ["packages/x/src/cli.ts", "packages/x/src/serve.ts", "packages/x/test/cli.test.ts"],
    ],
    ["packages/x/src/types.ts", []],
    ["packages/x/test/programs/record.ts", ["packages/x/test/start.test.ts"]],
    [
      "docs/guides/a.md",
      ["test/repository/guides.test.ts", "test/repository/links.test.ts", "test/repository/own.test.ts"],
    ],
    ["docs/errors.md", ["test/repository/links.test.ts", "test/repository/own.test.ts"]],
    ["packages/x/src/new.ts", []],
  ])("of %s", (changed, expected) => {
    expect(readers(changed)).toEqual(expected);
  });
});
