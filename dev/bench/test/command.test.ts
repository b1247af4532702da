import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { until } from "@perdura/test-servers/processes/until.js";
import { describe, expect, test } from "vitest";
import { elementsOf } from "./elements.ts";
import type { MachineReport } from "../src/report/machine.ts";
import { bench, COMMAND } from "./run_bench.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";

/** Sizes at which a row takes a moment. Its measurement does not matter: timing is not a test. */
const SMALL = ["--rows", "1k", "--rounds", "2"];

const side = (name: string) => ({
  name,
  time: { median: expect.any(Number), low: expect.any(Number), high: expect.any(Number) },
  memory: expect.any(Number),
  remarks: [],
});

describe("a run", () => {
  test("prints what was compared, the ratio and the memory as JSON", async () => {
    const directory = freshFolder();
    const { code, stdout, stderr } = await bench(["record-normal-bare", "record-many-bare", "--json", ...SMALL], {
      TMPDIR: directory,
    });
    const { made, rows } = JSON.parse(stdout) as MachineReport;
    expect(made).toMatchObject({ node: process.version, date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
    const [one, many] = rows;
    expect(one).toEqual({
      name: "record-normal-bare",
      what: "record one row, durability normal",
      rows: null,
      against: "the bare driver's prepared insert, same durability",
      rounds: 2,
      units: { time: "milliseconds an operation", memory: "peak in MB" },
      ours: side("perdura"),
      peer: side("bare driver"),
      timeRatio: { median: expect.any(Number), low: expect.any(Number), high: expect.any(Number) },
      memoryRatio: expect.any(Number),
      goal: { of: "time", atMost: 1.15, fromRows: null },
      kept: expect.any(Boolean),
      notRun: null,
    });
    expect(many).toMatchObject({
      name: "record-many-bare",
      rows: 1000,
      goal: { atMost: 1, fromRows: 100_000 },
      kept: null,
    });
    expect(code).toBe(one?.kept === false ? 1 : 0);
    expect(stderr).toMatch(/^ {2}time ratio .* \(middle half .* to .*, 2 rounds\)$/m);
    expect(stderr).toMatch(/^ {2}peak memory \d+ MB against \d+ MB, ratio /m);
    expect(readdirSync(directory)).toEqual([]);
  });

  test("skips a row whose peer is not installed, and states the reason", async () => {
    const nothing = freshFolder();
    const rows = ["record-full-python", "record-many-shell", ...SMALL];
    const { code, stdout } = await bench([...rows, "--json"], { PATH: nothing });
    expect(code).toBe(0);
    const absent = { ours: null, peer: null, timeRatio: null, memoryRatio: null, kept: null };
    expect((JSON.parse(stdout) as MachineReport).rows).toMatchObject([
      { ...absent, name: "record-full-python", notRun: "no python3" },
      { ...absent, name: "record-many-shell", notRun: "no sqlite3" },
    ]);
    expect((await bench(rows, { PATH: nothing })).stdout).toContain("  not run: no python3\n");
  });

  test("writes an HTML page with charts, and a Markdown table", async () => {
    const file = join(freshFolder(), "page.html");
    const { stdout } = await bench(["user-stats-heavy", "--rows", "2k", "--rounds", "1", "--markdown", "--html", file]);
    expect(stdout.split("\n")[1]).toMatch(/^(\| -+ )+\|$/);
    expect(stdout).toMatch(/^\| user-stats-heavy +\| plain aggregates .* \| 2,000 +\| \d/m);

    const page = readFileSync(file, "utf8");
    const { elements } = elementsOf(page);
    const named = (name: string) => elements.filter((element) => element.name === name);
    expect(named("figure")).toHaveLength(1);
    expect(named("polyline").length).toBeGreaterThanOrEqual(2);
    for (const { attributes } of named("polyline")) expect(attributes["points"]?.split(" ")).toHaveLength(2);
    expect(named("tr").length).toBeGreaterThanOrEqual(3);
    const requests = ["src", "href", "srcset", "data", "action", "style"];
    expect(elements.filter(({ attributes }) => requests.some((name) => name in attributes))).toEqual([]);
    expect(elements.map(({ name }) => name)).not.toContain("script");
    expect(page).not.toMatch(/@import|url\(|https?:/);
  });
});

test("a command that gets SIGINT ends with 1, and leaves no files", async () => {
  const directory = freshFolder();
  const child = spawn(process.execPath, [...COMMAND, "record-normal-bare", "--rounds", "100000"], {
    env: { ...process.env, TMPDIR: directory },
    stdio: "ignore",
  });
  const exit = once(child, "exit");
  await until("a row to begin", () => readdirSync(directory, { recursive: true }).length > 1);
  child.kill("SIGINT");
  expect(await exit).toEqual([1, null]);
  expect(readdirSync(directory)).toEqual([]);
});

describe("invalid arguments", () => {
  test.for([
    [["nonsense"], "No row has a name that begins with nonsense."],
    [["record-full-bare", "--rows", "none"], "--rows: expected a number of rows such as 300k, at most 10m, got none."],
    [["--rows", "0"], "--rows: expected"],
    [["--rows", "1.5k"], "--rows: expected"],
    [["--rows", "11m"], "--rows: expected"],
    [["--rounds", "many"], "--rounds: expected a number of rounds such as 3, got many."],
    [["--json", "--markdown"], "--json and --markdown: expected one of them"],
    [["--html", join("nowhere", "page.html")], "--html: expected a file in a directory that exists"],
    [["--quick"], "Unknown option '--quick'"],
  ] as const)("%j ends with 2", async ([words, sentence]) => {
    const { code, stdout, stderr } = await bench(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(sentence);
    expect(stderr).toContain("usage: pnpm bench");
    expect(existsSync(dirname(join("nowhere", "page.html")))).toBe(false);
  });
});
