import * as v16 from "@perdura/v16";
import { describe, expect, test } from "vitest";
import { COLLECTORS, rowsOf, temporaryDatabase } from "./collectors.ts";
import { rawNumber } from "../random_library.ts";

describe.for(COLLECTORS)("recording with the MetricsCollector of $name", ({ column, open, record }) => {
  test("creates the columns, defaults and indexes of the specification", () => {
    const path = temporaryDatabase();
    open(path).close();
    expect(
      rowsOf(path, "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info('interactions')"),
    ).toEqual([
      ["id", "INTEGER", 0, null, 1],
      ["user_id", "TEXT", 1, null, 0],
      [column, "INTEGER", 1, null, 0],
      ["success", "BOOLEAN", 1, null, 0],
      ["response_time_ms", "REAL", 0, null, 0],
      ["timestamp", "TIMESTAMP", 0, "CURRENT_TIMESTAMP", 0],
    ]);
    expect(
      rowsOf(
        path,
        "SELECT m.name, m.tbl_name, i.name FROM sqlite_schema AS m, pragma_index_info(m.name) AS i WHERE m.type = 'index' ORDER BY m.name",
      ),
    ).toEqual([
      ["idx_interactions_timestamp", "interactions", "timestamp"],
      ["idx_interactions_user", "interactions", "user_id"],
    ]);
    expect(rowsOf(path, "PRAGMA journal_mode")).toEqual([["wal"]]);
  });

  test("adds one row for each call, with ids, UTC timestamps and metadata in the side table", () => {
    const path = temporaryDatabase();
    const collector = open(path, { clock: () => new Date("2026-02-03T04:05:06.789Z") });
    expect(collector.recordInteraction("alice", 3, true, 1.5)).toBe(1);
    record(collector, "alice", false, 2, { big: rawNumber("12345678901234567890"), zero: -0, text: "\ud800" });
    collector.close();
    expect(rowsOf(path, `SELECT id, user_id, success, response_time_ms, timestamp FROM interactions`)).toEqual([
      [1, "alice", 1, 1.5, "2026-02-03 04:05:06"],
      [2, "alice", 0, 2, "2026-02-03 04:05:06"],
    ]);
    expect(rowsOf(path, "SELECT * FROM interaction_metadata")).toEqual([
      [2, '{"big":12345678901234567890,"zero":-0.0,"text":"\\ud800"}'],
    ]);
  });

  test("uses the system's clock by default", () => {
    const path = temporaryDatabase();
    using collector = open(path);
    const before = Math.floor(Date.now() / 1000);
    collector.recordInteraction("u", 1, true, 0);
    collector.recordMany([{ user_id: "u", success: true, response_time_ms: 0, [column]: 1 } as never]);
    const stored = rowsOf(path, "SELECT CAST(strftime('%s', timestamp) AS INTEGER) FROM interactions").flat();
    expect(stored).toHaveLength(2);
    for (const seconds of stored) {
      expect(seconds).toBeGreaterThanOrEqual(before);
      expect(seconds).toBeLessThanOrEqual(Date.now() / 1000);
    }
  });

  test("asks a given clock for each of many rows", () => {
    const path = temporaryDatabase();
    let time = Date.parse("2026-02-03T04:05:06.100Z");
    using collector = open(path, { clock: () => new Date((time += 400)) });
    const row = { user_id: "u", success: true, response_time_ms: 0, [column]: 1 } as never;
    collector.recordMany([row, row, row, row]);
    expect(rowsOf(path, "SELECT timestamp FROM interactions ORDER BY id").flat()).toEqual([
      "2026-02-03 04:05:06",
      "2026-02-03 04:05:06",
      "2026-02-03 04:05:07",
      "2026-02-03 04:05:07",
    ]);
  });

  test("records a batch completely or not at all", () => {
    const path = temporaryDatabase();
    using collector = open(path) as v16.MetricsCollector;
    const batch = Array.from({ length: 1000 }, (_, index) => ({
      user_id: `u${index % 7}`,
      [column]: 3,
      success: true,
      response_time_ms: index,
      metadata: index === 5 ? { index } : null,
    }));
    expect(collector.recordMany(batch)).toBe(1000);
    expect(() =>
      collector.recordMany([...batch, { user_id: "", [column]: 3, success: true, response_time_ms: 1 } as never]),
    ).toThrow(/records\[1000\]\.user_id/);
    expect(() =>
      collector.recordMany([{ user_id: "u", [column]: 9, success: true, response_time_ms: 1 } as never]),
    ).toThrow(/records\[0\]\..*level/);
    expect(collector.getGlobalStats().total_interactions).toBe(1000);
    expect(rowsOf(path, "SELECT * FROM interaction_metadata")).toEqual([[6, '{"index":5}']]);
  });

  test("reads the records of a batch one by one, and refuses calls to itself meanwhile", () => {
    const path = temporaryDatabase();
    using collector = open(path) as v16.MetricsCollector;
    using observer = new v16.MetricsCollector(temporaryDatabase());
    const taken = { user_id: "u", [column]: 3, success: true, response_time_ms: 1 } as never;
    const calls = [
      () => collector.recordInteraction("u", 3, true, 1),
      () => collector.getGlobalStats(),
      () => collector.recordMany([]),
      () => collector.close(),
    ];
    for (const call of calls) {
      expect(() =>
        collector.recordMany(
          (function* () {
            yield taken;
            observer.recordInteraction("u", 1, true, 1);
            call();
          })(),
        ),
      ).toThrow("was called by the iterable that it is reading in recordMany");
    }
    expect(collector.getGlobalStats().total_interactions).toBe(0);
    expect(observer.getGlobalStats().total_interactions).toBe(calls.length);
  });
});

test("16 records a metric at the user's current level, or at 1 if the user has none", () => {
  using collector = new v16.MetricsCollector(temporaryDatabase());
  collector.recordMetric("u", true, 1);
  expect(collector.getUserStats("u").current_level).toBe(1);
  collector.recordInteraction("u", 4, true, 1);
  collector.recordMetric("u", true, 1);
  collector.recordMany([
    { user_id: "u", success: true, response_time_ms: 1 },
    { user_id: "u", level: 2, success: true, response_time_ms: 1 },
    { user_id: "u", success: true, response_time_ms: 1 },
  ]);
  expect(collector.getUserStats("u")).toMatchObject({
    level_1_count: 1,
    level_2_count: 2,
    level_4_count: 3,
    current_level: 2,
  });
});
