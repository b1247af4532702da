import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { longLife } from "../src/long_life.ts";
import { layHistory, recountFaults } from "../src/long_life/history.ts";
import { judgeLife, judgeLog, riseOf } from "../src/long_life/judge_life.ts";
import { Life } from "../src/long_life/life.ts";
import { shortfall } from "../src/long_life/lives.ts";
import { runSoaks } from "../src/run_soaks.ts";
import { sample } from "../src/sample.ts";
import type { Round } from "../src/soak.ts";
import { Tally } from "../src/tally.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { ON_LINUX } from "../../../test/needs.ts";

const root = freshFolder();

describe("on Linux", ON_LINUX, () => {
  test.each([
    ["in one process (16)", 400],
    ["open and close (15)", 80],
  ])("the sample finds nothing wrong: %s", async (only, least) => {
    const { complaints, trials } = await sample(longLife, { share: 0.002, only });
    expect(complaints).toEqual([]);
    expect(trials).toBeGreaterThanOrEqual(least);
  });

  test.each([
    ["nothing", []],
    ["objects", [/^heap grew from/, /^heap rose by/]],
    ["memory", [/^memory grew from/, /^memory rose by/]],
    ["handles", [/^open files: /]],
    ["readers", [/^open files: /]],
    ["what is forgotten", [/^\d+ files opened in hour 3 were not closed/]],
    ["files", [/^temporary files after hour 1: .*perdura-tmp/]],
  ] as const)("the judge reports a program that leaks %s", async (leak, expected) => {
    const directory = freshFolder(root);
    const program = fileURLToPath(new URL("programs/leaky_life.ts", import.meta.url));
    const life = new Life(program, [directory, leak, "12"]);
    expect(await life.end()).toEqual([]);
    const wrong = judgeLife(life.measures);
    for (const text of expected) expect(wrong).toContainEqual(expect.stringMatching(text));
    if (leak === "nothing") expect(wrong).toEqual([]);
  });
});

test("reports a program that fails or ends unexpectedly", async () => {
  const life = new Life(fileURLToPath(new URL("programs/leaky_life.ts", import.meta.url)), ["/missing", "", "1"]);
  expect((await life.end()).join()).toMatch(/it ended with 1: .*FileNotFoundError/s);
});

test("reports a life that ends too early, unless the time is over", () => {
  const hour = { heap: 1, memory: 1, handles: 1, forgotten: 0, temporary: [], log: 0, largestLog: 0 };
  const of = (hours: number, isOver: boolean) =>
    shortfall([hour, hour], { hours, round: { isOver: () => isOver } as Round });
  expect(of(3, false)).toEqual(["it ended after 2 of 3 hours"]);
  expect(of(3, true)).toEqual([]);
  expect(of(2, false)).toEqual([]);
});

test("does not judge the memory of a life that was stopped early", ON_LINUX, async () => {
  const tally = new Tally();
  let asked = 0;
  await runSoaks({
    soaks: [longLife],
    seed: 1,
    share: 0.002,
    minutes: null,
    directory: root,
    only: "open and close (16)",
    point: undefined,
    tally,
    // Some calls come before the first hour.
    interrupted: () => (asked += 1) > 10,
    tell: () => {},
  });
  expect(tally.complaints).toEqual([]);
  expect(tally.rows[0]?.remark).toMatch(/^stopped after \d of \d+ hours; memory was not judged$/);
});

test("reports a log that grows after its reader has ended, or by more than is recorded", () => {
  const hour = { heap: 1, memory: 1, handles: 1, forgotten: 0, temporary: [] };
  const logs = (...sizes: number[]) => sizes.map((size) => ({ ...hour, log: size, largestLog: size }));
  const held = new Set([1]);
  expect(judgeLog(logs(16e6, 150e6, 16e6), held, 3600)).toEqual([]);
  expect(judgeLog(logs(16e6, 250e6, 16e6), held, 3600)).toHaveLength(1);
  expect(judgeLog(logs(16e6, 150e6, 150e6), held, 3600)).toEqual([]);
  expect(judgeLog(logs(16e6, 150e6, 160e6, 160e6), held, 3600)).toEqual([]);
  expect(judgeLog(logs(16e6, 150e6, 180e6), held, 3600)).toHaveLength(1);
  expect(judgeLog(logs(16e6, 150e6, 150e6, 160e6), held, 3600)).toHaveLength(1);
  expect(judgeLog(logs(150e6, 16e6), new Set(), 3600)).toHaveLength(1);
});

test("riseOf is the rise of a straight line, and 0 for noise", () => {
  expect(riseOf([3, 5, 7, 9])).toBeCloseTo(6);
  expect(riseOf([5, 7, 7, 5])).toBeCloseTo(0);
});

test("reports rows that are missing after a life", () => {
  layHistory("16", root, 100);
  expect(recountFaults("16", root, 100)).toEqual([]);
  expect(recountFaults("16", root, 101)).toEqual(["101 rows were recorded, but 100 are stored"]);
  const database = new Database(join(root, "metrics.db"));
  database.exec("DELETE FROM interactions WHERE id = 7");
  database.close();
  expect(recountFaults("16", root, 100)).toEqual(["100 rows were recorded, but 99 are stored"]);
});
