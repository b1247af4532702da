import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fixture } from "../../../fixtures/paths.ts";
import { databases } from "../src/databases.ts";
import { Chance } from "../../../test/hostile/chance.ts";
import { damageBytes } from "../src/databases/damage_bytes.ts";
import { faultsOfOutput } from "../src/databases/names_on_disk.ts";
import { faultsOfError } from "../src/databases/own_error.ts";
import { Worker } from "../src/databases/pool.ts";
import { faultsOfEnding, runToEnd } from "../src/databases/run_cli.ts";
import { changesBetween, stampsOf } from "../src/databases/stamp.ts";
import { sample } from "../src/sample.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";

const directory = freshFolder();

test.each([
  ["patterns", 12],
  ["metrics of 16", 9],
  ["archives", 8],
  ["legacy: hostile", 1],
  ["legacy: bytes", 6],
])("%s: finds nothing wrong in a part of a round", async (only, least) => {
  const { complaints, trials } = await sample(databases, { share: 0.02, only });
  expect(complaints).toEqual([]);
  expect(trials).toBeGreaterThanOrEqual(least);
});

test("the same seed damages the same bytes, another seed other bytes", () => {
  const damaged = (seed: number): string | undefined => {
    const path = join(directory, "damaged.db");
    copyFileSync(fixture("legacy", "field-a.db"), path);
    damageBytes(path, Chance.of(seed, "bytes"));
    return stampsOf(directory).get("damaged.db");
  };
  expect(damaged(1)).toBe(damaged(1));
  expect(new Set([1, 2, 3, 4].map(damaged)).size).toBe(4);
});

test("reports a process that ends unexpectedly, and starts another for the next task", async () => {
  const worker = new Worker(directory);
  const task = { family: "patterns", damage: "bytes", number: 0, seed: 1, place: join(directory, "task") } as const;
  try {
    // The copy fails: an uncaught error.
    const broken = await worker.run({ ...task, models: [join(directory, "no\0where")] });
    expect(broken.wrong).toEqual([expect.stringContaining("the process ended with 1")]);
    const model = fixture("legacy", "field-patterns.db");
    expect(await worker.run({ ...task, models: [model] })).toMatchObject({ wrong: [] });
  } finally {
    worker.end();
  }
});

test("judges report unexpected errors and output", () => {
  const path = join(directory, "m.db");
  expect(faultsOfError("load", new TypeError("x is not a function"), path)).toEqual([
    expect.stringContaining("an unexpected error"),
  ]);
  expect(faultsOfError("load", new Error("other.db: damaged"), path, true)).toEqual([
    expect.stringContaining("does not name m.db"),
  ]);
  expect(faultsOfError("load", new Error("m.db: \u009b31m"), path, true)).toEqual([
    expect.stringContaining("unescaped control character"),
  ]);
  expect(faultsOfOutput("fine\n")).toEqual([]);
  expect(faultsOfOutput("\u001b]52;c;eA==\u0007")).toHaveLength(1);
  expect(faultsOfEnding("fine", 3)).toEqual([]);
  expect(faultsOfEnding("", "SIGSEGV")).toEqual(["it ended with SIGSEGV"]);
  expect(faultsOfEnding("", null)).toHaveLength(1);
  const failing = join(directory, "failing.mjs");
  writeFileSync(failing, "throw new TypeError('x is not a function');");
  expect(runToEnd([process.execPath, failing]).wrong).toEqual([expect.stringMatching(/uncaught error.*x is not a/s)]);
  expect(runToEnd([process.execPath, "-e", "process.exit(7)"]).wrong).toEqual(["it ended with 7"]);
});

test("changesBetween reports changed, additional and missing files", () => {
  const place = join(directory, "stamps");
  mkdirSync(place);
  for (const name of ["same", "other", "gone"]) writeFileSync(join(place, name), name);
  const before = stampsOf(place);
  writeFileSync(join(place, "other"), "another");
  writeFileSync(join(place, "new"), "");
  rmSync(join(place, "gone"));
  expect(changesBetween(before, stampsOf(place))).toEqual([
    "gone is missing",
    "other was changed",
    "new was left behind",
  ]);
});
