import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StateManager } from "@perdura/v15";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { LINES } from "./both_lines.ts";
import { freshFolder } from "../fresh_folder.ts";

/** Ids that older programs stored, and that perdura does not write. */
const UNUSUAL_IDS = ["", "nul\0x", "\0"];

describe.for(LINES)("in $name", ({ name, line }) => {
  test("every listed user can be asked for", () => {
    const path = join(freshFolder(), "metrics.db");
    new line.MetricsCollector(path).close();
    const older = new Database(path);
    const level = name === "v15" ? "empathy_level" : "level";
    const insert = older.prepare(
      `INSERT INTO interactions (user_id, ${level}, success, response_time_ms) VALUES (?, 3, 1, 10)`,
    );
    for (const id of [...UNUSUAL_IDS, "alice", "\ufffd"]) insert.run(id);
    // JavaScript reads neither as what it is.
    older.exec(
      `INSERT INTO interactions (user_id, ${level}, success) VALUES (CAST(x'4aff' AS TEXT), 1, 1), (x'616263', 1, 1)`,
    );
    older.close();
    using collector = new line.MetricsCollector(path);
    expect(collector.getAllUsers()).toEqual(["", "\0", "alice", "nul\0x", "\ufffd"]);
    for (const id of collector.getAllUsers()) {
      expect(collector.getUserStats(id)).toMatchObject({ total_operations: 1, current_level: 3 });
      expect(collector.getUserTrend(id)).toMatchObject([{ total_operations: 1, level_3_count: 1 }]);
    }
  });

  test("an id that no store has is that of an unknown user, and only recording refuses it", () => {
    using collector = new line.MetricsCollector(":memory:");
    collector.recordInteraction("\ufffd", 3, true, 10);
    for (const id of [...UNUSUAL_IDS, "\ud800"]) {
      expect(collector.getUserStats(id)).toMatchObject({ total_operations: 0, first_use: null });
      expect(collector.getUserStats(id)).not.toHaveProperty("current_level");
      expect(collector.getUserTrend(id)).toEqual([]);
      expect(() => collector.recordInteraction(id, 3, true, 10)).toThrow(/^userId: .* Nothing was written\.$/s);
    }
    expect(() => collector.getUserStats(5 as never)).toThrow(/^userId: expected text, got 5\.$/);
  });
});

test("every listed state can be loaded, and a state that is never saved is unknown", () => {
  const folder = freshFolder();
  const states = new StateManager(folder);
  states.saveState("ann", { user_id: "ann", trust_level: 0.5 });
  writeFileSync(join(folder, ".json"), readFileSync(join(folder, "ann.json")));
  expect(states.listUsers()).toEqual(["ann"]);
  expect(states.loadState("ann")).toMatchObject({ trust_level: 0.5 });
  for (const id of [...UNUSUAL_IDS, "\ud800", "bob"]) expect(states.loadState(id)).toBe(null);
  expect(() => states.saveState("", { user_id: "", trust_level: 0.5 })).toThrow(/^userId: /);
});
