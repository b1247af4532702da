import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { COLLECTORS, temporaryDatabase } from "./collectors.ts";

describe.for(COLLECTORS)("statistics of the MetricsCollector of $name", ({ column, open }) => {
  test("the mean is finite when the sum exceeds the range of a double", () => {
    using collector = open(temporaryDatabase());
    for (const time of [1e308, 1e308, 1.5e308]) collector.recordInteraction("a", 1, true, time);
    expect(collector.getUserStats("a").avg_response_time_ms / 1e308).toBeCloseTo(3.5 / 3, 12);
  });

  test("counts for each user and in total", () => {
    using collector = open(temporaryDatabase(), { clock: () => new Date("2026-02-03T04:05:06Z") });
    for (const [user, level, success, time] of [
      ["a", 2, true, 10],
      ["a", 5, false, 20],
      ["b", 2, true, 0],
    ] as const) {
      collector.recordInteraction(user, level, success, time);
    }
    expect(collector.getUserStats("a")).toEqual({
      total_operations: 2,
      success_rate: 0.5,
      avg_response_time_ms: 15,
      level_1_count: 0,
      level_2_count: 1,
      level_3_count: 0,
      level_4_count: 0,
      level_5_count: 1,
      current_level: 5,
      first_use: "2026-02-03 04:05:06",
      last_use: "2026-02-03 04:05:06",
    });
    expect(collector.getGlobalStats()).toEqual({ total_users: 2, total_interactions: 3, success_rate: 2 / 3 });
  });

  test("returns zeros and no level for a user without interactions, and for an empty database", () => {
    using collector = open(temporaryDatabase());
    const stats = collector.getUserStats("nobody");
    expect(stats).toMatchObject({
      total_operations: 0,
      success_rate: 0,
      avg_response_time_ms: 0,
      level_1_count: 0,
      first_use: null,
      last_use: null,
    });
    expect("current_level" in stats).toBe(false);
    expect(collector.getGlobalStats()).toEqual({ total_users: 0, total_interactions: 0, success_rate: 0 });
    expect(collector.getAllUsers()).toEqual([]);
  });

  test("ignores rows without a response time in the mean, and evaluates success as SQL does", () => {
    const path = temporaryDatabase();
    using collector = open(path);
    const database = new Database(path);
    const insert = database.prepare(
      `INSERT INTO interactions (user_id, ${column}, success, response_time_ms) VALUES ('u', 1, ?, ?)`,
    );
    for (const [success, time] of [
      [1, null],
      [2, 10],
      [-1, 30],
      ["yes", null],
      [0, null],
    ])
      insert.run(success, time);
    insert.run("yes", "slow");
    database.close();
    expect(collector.getUserStats("u")).toMatchObject({
      total_operations: 6,
      success_rate: 0.5,
      avg_response_time_ms: 20,
    });
    expect(JSON.parse(readFileSync(exported(collector, path), "utf8").split("\n")[1] as string)).toMatchObject({
      id: 2,
      success: true,
      response_time_ms: 10,
    });
  });

  function exported(collector: { exportMetrics(path: string): number }, path: string): string {
    expect(collector.exportMetrics(`${path}.jsonl`)).toBe(6);
    return `${path}.jsonl`;
  }

  test("lists users once, by code point", () => {
    using collector = open(temporaryDatabase());
    const users = ["b", "a", "B", "é", "e\u0301", "🙂", "\uffee", " a", "a", "__proto__"];
    for (const user of users) collector.recordInteraction(user, 1, true, 1);
    expect(collector.getAllUsers()).toEqual([" a", "B", "__proto__", "a", "b", "e\u0301", "é", "\uffee", "🙂"]);
  });
});
