import { spawn } from "node:child_process";
import { renameSync } from "node:fs";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { openMetrics } from "../../src/metrics/open_metrics.ts";
import { makeSums } from "../../src/metrics/rollup/make_sums.ts";
import { maintainBriefly } from "../../src/metrics/rollup/maintenance.ts";
import { rollupStatistics } from "../../src/metrics/rollup/rollup_statistics.ts";
import type { Database } from "../../src/sqlite/open_database.ts";
import { Pace } from "../../src/sqlite/pace.ts";
import { addRows, asked, newPath, rollupObjects, SMALL } from "./databases.ts";
import { differences } from "./compare.ts";

/** Changes by each of the processes that write at the same time. */
const STEPS = Number(process.env["PERDURA_RUNS"] ?? 1) * 50;

/** Starts a program of this folder; its arguments begin with the path of the database. */
function start(program: string, ...words: string[]): ReturnType<typeof spawn> {
  const path = fileURLToPath(new URL(`programs/${program}`, import.meta.url));
  return spawn(process.execPath, ["--conditions=@perdura/source", "--no-warnings", path, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

it("a question during a write is answered without the rollup, and does not wait", () => {
  const path = newPath();
  // A waiting query would wait for weeks.
  const { database, rollup, allRows } = asked(path, {
    ...SMALL,
    waits: { timeoutMs: 0x7fffffff, sliceMs: 0x7fffffff },
  });
  addRows(database, 30);
  const writer = new Sqlite(path);
  writer.exec("BEGIN IMMEDIATE");
  expect(differences(rollup, allRows)).toEqual([]);
  expect(rollupObjects(database)).toEqual([]);
  expect(database.pragma("busy_timeout", { simple: true })).toBe(0x7fffffff);
  writer.exec("ROLLBACK");
  writer.close();
  rollup.global();
  expect(rollupObjects(database)).not.toEqual([]);
});

test.each(["query_only = ON", "max_page_count = 1"])(
  "a question is answered if nothing can be written: %s",
  (pragma) => {
    const { database, rollup, allRows } = asked(newPath());
    addRows(database, 30);
    database.pragma(pragma);
    expect(differences(rollup, allRows)).toEqual([]);
    expect(rollupObjects(database)).toEqual([]);
  },
);

it("errors other than a busy or read-only database are thrown", () => {
  const { database } = asked(newPath());
  addRows(database, 30);
  const maintained = {
    database,
    levelColumn: "empathy_level" as const,
    limits: SMALL,
    waits: { timeoutMs: 30_000, sliceMs: 5000 },
  };
  expect(() => maintainBriefly(maintained, new Pace(SMALL.piece))).toThrow("no such column: empathy_level");
  expect(database.pragma("busy_timeout", { simple: true })).toBe(5000);
  expect(rollupObjects(database)).toEqual([]);
});

it("statistics are right after processes that record, change rows and read at the same time", async () => {
  const path = newPath();
  const { database, rollup, allRows } = asked(path);
  addRows(database, 30);
  const children = ["1", "2", "3"].map((seed) => start("change_rows.ts", path, seed, `${STEPS}`));
  const ends = await Promise.all(children.map((child) => once(child, "close")));
  expect(ends).toEqual([
    [0, null],
    [0, null],
    [0, null],
  ]);
  expect(differences(rollup, allRows)).toEqual([]);
  rollup.foldAll();
  expect(differences(rollup, allRows)).toEqual([]);
});

it("statistics are right after a process was killed while it folded", async () => {
  const path = newPath();
  const { database, rollup, allRows } = asked(path, { ...SMALL, piece: 1000, sliceMs: 100, threshold: 1_000_000 });
  addRows(database, 20_000);
  for (const lines of [1, 3, 7]) {
    const child = start("fold_forever.ts", path);
    const closed = once(child, "close");
    let seen = 0;
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", () => {
      seen += 1;
      if (seen === lines) child.kill("SIGKILL");
    });
    expect(await closed).toEqual([null, "SIGKILL"]);
    expect(differences(rollup, allRows)).toEqual([]);
  }
  expect(rollupObjects(database)).not.toEqual([]);
});

describe("a question without a budget folds in one step", () => {
  const HASTY = { ...SMALL, budgetMs: 0 };
  const ask = (database: Database, sql: string): unknown => database.prepare(sql).pluck().get();

  it("one batch of rows", () => {
    const { database, rollup, allRows } = asked(newPath(), HASTY);
    addRows(database, 30);
    expect(rollup.global()).toEqual(allRows.global());
    expect(ask(database, "SELECT watermark FROM perdura_rollup")).toBe(4);
    expect(rollup.user("a")).toEqual(allRows.user("a"));
    expect(ask(database, "SELECT watermark FROM perdura_rollup")).toBe(8);
  });

  test.each([
    // A part of the rows of the first user.
    [0, 3],
    [1e6, 0],
  ])("as many changed users as %d ms allow", (sliceMs, left) => {
    const { database, rollup, allRows } = asked(newPath(), { ...SMALL, sliceMs, budgetMs: sliceMs });
    addRows(database, 30);
    rollup.foldAll();
    database.exec("UPDATE interactions SET level = 5 WHERE id <= 3");
    expect(ask(database, "SELECT count(*) FROM perdura_stale_users")).toBe(3);
    expect(rollup.global()).toEqual(allRows.global());
    expect(ask(database, "SELECT count(*) FROM perdura_stale_users")).toBe(left);
  });
});

it("a question is answered after the file was moved and became read-only", () => {
  const path = newPath();
  const { database, rollup, allRows } = asked(path);
  database.pragma("journal_mode = DELETE");
  addRows(database, 30);
  renameSync(path, `${path}.moved`);
  expect(() => database.exec("CREATE TABLE x (y)")).toThrow(
    expect.objectContaining({ code: "SQLITE_READONLY_DBMOVED" }),
  );
  expect(differences(rollup, allRows)).toEqual([]);
});

it("sums are stored without a wait for the disk, and rows with it again", () => {
  const path = newPath();
  const database = openMetrics(path, "level", { durability: "full" });
  onTestFinished(() => void database.close());
  addRows(database, 100);
  const synchronous = (): unknown => database.pragma("synchronous", { simple: true });
  const before = synchronous();
  expect(before).toBeGreaterThan(1);
  const rollup = rollupStatistics(database, "level", SMALL);
  rollup.global();
  database.exec(`CREATE TEMP TABLE noted (synchronous);
    CREATE TEMP TRIGGER noted AFTER UPDATE ON main.perdura_rollup BEGIN
      INSERT INTO noted SELECT synchronous FROM pragma_synchronous; END;
    UPDATE interactions SET success = 0`);
  for (const _ of rollup.folding(() => 0)) expect(synchronous()).toBe(before);
  expect(synchronous()).toBe(before);
  expect(database.prepare("SELECT DISTINCT synchronous FROM noted").pluck().all()).toEqual([1]);
});

test("folds to the last row, even if another program records one after each of many steps", () => {
  const { database, rollup } = asked(newPath(), SMALL);
  addRows(database, 30);
  rollup.foldAll();
  addRows(database, 1);
  let late = 0;
  // The time of each step would suffice for twice as many rows.
  for (const _ of rollup.folding(() => 60_000)) {
    if (late === 100) continue;
    addRows(database, 1);
    late += 1;
  }
  expect(late).toBe(100);
  expect(database.prepare("SELECT operations FROM perdura_rollup").pluck().get()).toBe(131);
});

test("sums are made to an end next to a program that records a row after each step", () => {
  const database = openMetrics(newPath(), "level", {});
  onTestFinished(() => void database.close());
  addRows(database, 5000);
  let steps = 0;
  for (const { done, total } of makeSums(database, "level", 1000)) {
    addRows(database, 1);
    steps += 1;
    expect(total).toBe(5000);
    if (steps === 500) expect.unreachable(`not ended with ${done} rows`);
  }
  expect(database.prepare("SELECT operations FROM perdura_rollup").pluck().get()).toBeGreaterThanOrEqual(5000);
});
