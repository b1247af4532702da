import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { rawNumber } from "./random_library.ts";
import { temporaryDirectory } from "./both_lines.ts";

/** The same call in both lines: 16 has no level parameter. */
const COLLECTORS = [
  {
    name: "v15",
    column: "empathy_level",
    open: (path: string, options?: v15.MetricsOptions) => new v15.MetricsCollector(path, options),
    record: (
      collector: v15.MetricsCollector | v16.MetricsCollector,
      ...[user, ...rest]: [string, boolean, number, v15.JsonObject?]
    ) => (collector as v15.MetricsCollector).recordMetric(user, 1, ...rest),
  },
  {
    name: "v16",
    column: "level",
    open: (path: string, options?: v16.MetricsOptions) => new v16.MetricsCollector(path, options),
    record: (
      collector: v15.MetricsCollector | v16.MetricsCollector,
      ...given: [string, boolean, number, v16.JsonObject?]
    ) => (collector as v16.MetricsCollector).recordMetric(...given),
  },
] as const;

export function rowsOf(path: string, sql: string): unknown[] {
  const database = new Database(path, { readonly: true });
  try {
    return database.prepare(sql).raw().all();
  } finally {
    database.close();
  }
}

describe.for(COLLECTORS)("MetricsCollector of $name", ({ column, open, record }) => {
  const temporaryDatabase = (): string => join(temporaryDirectory(), "metrics.db");

  test("has the columns, defaults and indexes of the specification, and metadata beside them", () => {
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
    expect(rowsOf(path, "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index' ORDER BY name")).toEqual([
      ["idx_interactions_timestamp", "interactions"],
      ["idx_interactions_user", "interactions"],
    ]);
    expect(rowsOf(path, "PRAGMA journal_mode")).toEqual([["wal"]]);
  });

  test("adds one row a call, with ids, UTC timestamps and metadata in the side table", () => {
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

  test("takes SQLite's clock by default", () => {
    const path = temporaryDatabase();
    using collector = open(path);
    const before = Math.floor(Date.now() / 1000);
    collector.recordInteraction("u", 1, true, 0);
    const [[seconds]] = rowsOf(path, "SELECT CAST(strftime('%s', timestamp) AS INTEGER) FROM interactions") as [
      [number],
    ];
    expect(seconds).toBeGreaterThanOrEqual(before);
    expect(seconds).toBeLessThanOrEqual(Date.now() / 1000);
  });

  test("counts by user and over all", () => {
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

  test("has zeros and no level for a user with no interaction, and for an empty database", () => {
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

  test("leaves rows without a response time out of the mean and counts success as SQL does", () => {
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

  test.for([
    ["level", [0], /level: expected an integer from 1 to 5, got 0/],
    ["level", [6], /got 6/],
    ["level", [2.5], /got 2.5/],
    ["level", ["3"], /got "3"/],
    ["success", [3, 1], /success: expected a boolean, got 1/],
    ["time", [3, true, -1], /responseTimeMs: expected a finite number of milliseconds, 0 or more, got -1/],
    ["time", [3, true, Number.NaN], /got NaN/],
    ["time", [3, true, Number.POSITIVE_INFINITY], /got Infinity/],
    ["time", [3, true, "5"], /got "5"/],
  ] as const)("refuses an unfit %s (%j) and writes nothing", ([, given, reason]) => {
    using collector = open(temporaryDatabase());
    const [level, success = true, time = 1] = given as readonly [number, boolean?, number?];
    expect(() => collector.recordInteraction("u", level, success, time)).toThrow(reason);
    expect(collector.getGlobalStats().total_interactions).toBe(0);
  });

  test.for(["", "a\0", "\ud83d", 5, null])("refuses the user id %j", (user) => {
    using collector = open(temporaryDatabase());
    expect(() => collector.recordInteraction(user as string, 1, true, 1)).toThrow(/userId: expected text/);
    expect(() => collector.getUserStats(user as string)).toThrow(/userId: expected text/);
  });

  test("refuses metadata that JSON cannot hold and writes nothing", () => {
    using collector = open(temporaryDatabase());
    for (const [metadata, reason] of [
      [[], /metadata: expected an object/],
      [{ a: Number.NaN }, /\/a/],
      [{ a: new Date() }, /\/a/],
    ] as const) {
      expect(() => record(collector, "u", true, 1, metadata as never)).toThrow(reason);
    }
    expect(collector.getGlobalStats().total_interactions).toBe(0);
  });

  test("records a batch in one transaction, or nothing of it", () => {
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

  test("says so after close, and closing twice does no harm", () => {
    const collector = open(temporaryDatabase());
    collector.close();
    collector.close();
    expect(() => collector.recordInteraction("u", 1, true, 1)).toThrow(/was closed/);
    expect(() => collector.getGlobalStats()).toThrow(/was closed/);
  });

  test("refuses files that are something else, and missing directories, and leaves them alone", () => {
    const directory = temporaryDirectory();
    const text = join(directory, "text.db");
    writeFileSync(text, "plain text ".repeat(100));
    expect(() => open(text)).toThrow(expect.objectContaining({ name: "CorruptDataError", path: text }));
    expect(readFileSync(text, "utf8")).toBe("plain text ".repeat(100));
    expect(() => open(join(directory, "no", "metrics.db"))).toThrow(
      expect.objectContaining({ name: "FileNotFoundError" }),
    );
    expect(() => open(directory)).toThrow(/is a directory/);
    expect(existsSync(join(directory, "no"))).toBe(false);
  });

  test("refuses misspelt and unfit options", () => {
    const path = temporaryDatabase();
    expect(() => open(path, { durabilty: "full" } as never)).toThrow(
      /unknown option "durabilty"; expected one of durability, busyTimeoutMs, clock/,
    );
    expect(() => open(path, { durability: "fast" } as never)).toThrow(
      /durability: expected "full" or "normal", got "fast"/,
    );
    expect(() => open(path, { busyTimeoutMs: -1 })).toThrow(/busyTimeoutMs/);
    expect(existsSync(path)).toBe(false);
  });
});

test("16 records a metric at the user's current level, else 1", () => {
  using collector = new v16.MetricsCollector(join(temporaryDirectory(), "metrics.db"));
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
