import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { sample } from "../src/sample.ts";
import { together } from "../src/together.ts";
import { judgeCrowd } from "../src/together/judge_crowd.ts";
import { lineOf } from "../src/together/lines.ts";
import { beginsLevel, BATCH, rowOf, statsOf } from "../src/together/recorded.ts";
import { libraryOf, save, versionsIn } from "../src/together/common_libraries.ts";
import { stateFault, stateOf } from "../src/together/common_states.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";

const root = freshFolder();

describe("the sample of together", () => {
  test.each([
    ["record, read and export (15)", 200],
    ["recorders killed meanwhile (16)", 50],
    ["one library in SQLite, merged", 10],
    ["new libraries", 10],
    ["states of the same users", 20],
    ["programs of 15 record", 20],
    ["two migrators: mixed", 2],
    ["2 of perdura-backup", 2],
  ])("finds nothing wrong: %s", async (only, least) => {
    const { complaints, trials } = await sample(together, { share: 0.02, only });
    expect(complaints).toEqual([]);
    expect(trials).toBeGreaterThanOrEqual(least);
  });
});

describe("the judge of recorded rows", () => {
  const line = lineOf("16");
  const path = join(root, "whole.db");
  const acknowledged = new Map([
    ["single-0-1", 300],
    ["metric-1-1", 120],
    ["many-2-1", 3 * BATCH],
  ]);
  using collector = line.open(path, { durability: "normal" });
  for (let number = 1; number <= 300; number += 1) {
    const { level, success, time } = rowOf(number);
    collector.recordInteraction("single-0-1", level, success, time);
    if (number > 120) continue;
    if (beginsLevel(number)) collector.recordInteraction("metric-1-1", level, success, time);
    else line.metric(collector, "metric-1-1", number);
  }
  for (let batch = 0; batch < 3; batch += 1)
    line.many(
      collector,
      "many-2-1",
      Array.from({ length: BATCH }, (_, index) => batch * BATCH + index + 1),
    );
  collector.close();

  const judged = (sql: string, killed: string[] = []) => {
    const damaged = join(root, "damaged.db");
    copyFileSync(path, damaged);
    const database = new Database(damaged);
    database.exec(sql);
    database.close();
    const { lost, wrong } = judgeCrowd(line, { database: damaged, acknowledged, killed: new Set(killed) });
    return [...lost, ...wrong].join("\n");
  };

  test("finds nothing wrong in an undamaged database", () => {
    expect(judged("")).toBe("");
  });

  test.each([
    [
      "the last row is missing",
      "DELETE FROM interactions WHERE id = 480",
      /many-2-1: 60 rows were acknowledged, but 59 are/,
    ],
    ["a row in between is missing", "DELETE FROM interactions WHERE id = 17", /missing before row/],
    [
      "a row is stored twice",
      "INSERT INTO interactions SELECT 481, user_id, level, success, response_time_ms, timestamp FROM interactions WHERE id = 9",
      /is stored twice/,
    ],
    ["a level differs", "UPDATE interactions SET level = 4 WHERE id = 3", /has the level 4, not 1/],
    ["a success differs", "UPDATE interactions SET success = 1 - success WHERE id = 3", /has the success/],
    ["metadata differ", "UPDATE interaction_metadata SET metadata = '{}' WHERE interaction_id = 4", /has the metadata/],
    ["metadata are missing", "DELETE FROM interaction_metadata WHERE interaction_id = 4", /has the metadata null/],
    [
      "a row was never recorded",
      "INSERT INTO interactions VALUES (481, 'single-0-1', 2, 1, 301 / 8.0, '2026-01-01')",
      /301 rows are stored, but at most 300 were recorded/,
    ],
  ])("reports that %s", (_what, sql, expected) => {
    expect(judged(sql)).toMatch(expected);
  });

  test("allows a killed program to have stored one more row", () => {
    const next = "INSERT INTO interactions VALUES (481, 'single-0-1', 2, 1, 301 / 8.0, '2026-01-01')";
    expect(judged(next, ["single-0-1"])).not.toMatch(/at most/);
  });

  test("statsOf equals the statistics of the collector", () => {
    using whole = line.open(path);
    for (const [user, count] of acknowledged) expect(whole.getUserStats(user)).toMatchObject(statsOf(count));
  });
});

describe("the judges of shared files", () => {
  test.each(["json", "replace", "merge"] as const)("report a mixture of two versions (%s)", (format) => {
    const path = join(root, format === "json" ? "library.json" : `${format}.db`);
    save(format, path, { agent: "a", version: 3 });
    expect(versionsIn(format, path)).toEqual({ versions: [{ agent: "a", version: 3 }], wrong: [] });
    const mixed = libraryOf(format, { agent: "a", version: 3 });
    const pattern = mixed.get("a-1");
    if (pattern !== undefined) pattern.name = "a 2";
    rmSync(path);
    save(format, path, { agent: "a", version: 3 }, mixed);
    expect(versionsIn(format, path).wrong).toHaveLength(1);
  });

  test("report a state that was never saved", () => {
    const state = stateOf("ada", "one", 7);
    expect(stateFault("ada", state)).toBeUndefined();
    expect(stateFault("ada", { ...state, interaction_count: 8 })).toMatch(/was never saved/);
    expect(stateFault("bob", state)).toMatch(/was never saved/);
  });
});
