import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { COLLECTORS, temporaryDatabase } from "./collectors.ts";

describe.each(COLLECTORS)("$name", ({ open, record, column }) => {
  test("tells which tool fails, how long it takes and what it costs", () => {
    using collector = open(temporaryDatabase());
    for (const ms of [10, 20, 30, 40]) record(collector, "alice", true, ms, { tool: "search", tokens: ms, cost: 0.25 });
    record(collector, "bob", false, 1000, { tool: "search", tokens: "many" });
    record(collector, "bob", false, 5, { tool: "fetch" });
    record(collector, "bob", true, 7);
    expect(collector.getBreakdown("tool", { numbers: ["tokens", "cost"] })).toEqual([
      {
        value: "search",
        total_operations: 5,
        success_rate: 0.8,
        avg_response_time_ms: 220,
        p50: 30,
        p95: expect.closeTo(808, 9),
        p99: expect.closeTo(961.6, 9),
        numbers: { tokens: { count: 4, sum: 100, mean: 25 }, cost: { count: 4, sum: 1, mean: 0.25 } },
      },
      expect.objectContaining({ value: null, total_operations: 1, p99: 7 }),
      expect.objectContaining({
        value: "fetch",
        success_rate: 0,
        numbers: { tokens: { count: 0, sum: 0, mean: 0 }, cost: { count: 0, sum: 0, mean: 0 } },
      }),
    ]);
    expect(collector.getBreakdown("tool", { user_id: "bob" }).map(({ value }) => value)).toEqual([
      null,
      "fetch",
      "search",
    ]);
    expect(collector.getBreakdown("tool", { user_id: "nobody" })).toEqual([]);
    expect(collector.getBreakdown("tool", { user_id: "\ud800" })).toEqual([]);
    expect(collector.getBreakdown("tool", { since: "9000-01-01" })).toEqual([]);
  });

  test("finds the key in all metadata that can be recorded, and counts deeper ones of other programs under null", () => {
    const path = temporaryDatabase();
    const nested = (levels: number): string =>
      `{"tool":"search","of":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    using collector = open(path);
    record(collector, "alice", true, 10, JSON.parse(nested(1000)));
    expect(() => record(collector, "alice", true, 10, JSON.parse(nested(1001)))).toThrow("at most 1000 levels");
    expect(collector.getBreakdown("tool")).toMatchObject([{ value: "search", total_operations: 1 }]);
    const database = new Database(path);
    database.prepare("UPDATE interaction_metadata SET metadata = ?").run(nested(1001));
    database.close();
    expect(collector.getBreakdown("tool")).toMatchObject([{ value: null, total_operations: 1 }]);
  });

  test("has one row for all values beyond the limit", () => {
    using collector = open(temporaryDatabase());
    for (let each = 0; each < 30; each += 1)
      record(collector, "alice", each % 2 === 0, each, { request: each < 10 ? "same" : each });
    const rows = collector.getBreakdown("request", { limit: 1 });
    expect(rows).toEqual([
      expect.objectContaining({ value: "same", total_operations: 10, p50: 4.5 }),
      expect.objectContaining({ others: 20, total_operations: 20, success_rate: 0.5, p50: 19.5 }),
    ]);
    expect(rows[1]).not.toHaveProperty("value");
  });

  test("keeps values of each kind apart, and equal numbers together", () => {
    const path = temporaryDatabase();
    using collector = open(path);
    const values = [1, "1", true, "true", null, [1], { a: 1 }, "", 0.1, "\u0000", "💥", -0, 1e21];
    for (const value of values) record(collector, "a", true, 1, { key: value });
    const program = new Database(path);
    const texts = ['{"key": 1.0}', '{"key":1e0}', '{"key":"\\u0031"}', '{"key": 9007199254740993}', "not JSON", "[1]"];
    for (const text of texts) {
      record(collector, "a", true, 1);
      program.prepare("INSERT INTO interaction_metadata VALUES ((SELECT max(id) FROM interactions), ?)").run(text);
    }
    program.close();
    const found = collector.getBreakdown("key").map((row) => [JSON.stringify(row.value), row.total_operations]);
    expect(Object.fromEntries(found)).toEqual({
      "1": 3,
      '"1"': 2,
      true: 1,
      '"true"': 1,
      null: 3,
      "[1]": 1,
      '{"a":1}': 1,
      '""': 1,
      "0.1": 1,
      '"\\u0000"': 1,
      '"💥"': 1,
      "0": 1,
      "1e+21": 1,
      "9007199254740993": 1,
    });
  });

  test.each(['a"b', "a.b", "[0]", "$", "a\\b", "ä", "a b", "__proto__", "'", "\u007f\n"])("takes the key %j", (key) => {
    using collector = open(temporaryDatabase());
    record(collector, "a", true, 1, JSON.parse(JSON.stringify({ [key]: "here" })) as { [key]: string });
    expect(collector.getBreakdown(key, { numbers: [key] })).toMatchObject([{ value: "here" }]);
    expect([...collector.listInteractions({ where: { [key]: "here" } })]).toHaveLength(1);
  });

  test("refuses other arguments by name", () => {
    using collector = open(temporaryDatabase());
    const refused = (key: unknown, options?: object): string => {
      try {
        collector.getBreakdown(key as string, options);
      } catch (error) {
        return (error as Error).message;
      }
      return "accepted";
    };
    expect(refused("")).toMatch(/^key: expected text that is not empty/);
    expect(refused(5)).toMatch(/^key: expected text, got 5/);
    expect(refused("tool", { limit: 0 })).toMatch(/^limit: expected an integer from 1 to 10000, got 0/);
    expect(refused("tool", { sinse: 1 })).toMatch(/^options: unknown option "sinse"/);
    expect(refused("tool", { numbers: "tokens" })).toMatch(/^numbers: expected an array of at most 20 keys/);
    expect(refused("tool", { since: "yesterday" })).toMatch(/^since: expected a Date/);
    expect(refused("tool", { user_id: 5 })).toMatch(/^user_id: expected text/);
  });

  test("statistics and trends have percentiles if asked", () => {
    let now = "2026-01-01T10:00:00Z";
    using collector = open(temporaryDatabase(), { clock: () => new Date(now) });
    for (const ms of [10, 20, 30]) record(collector, "alice", true, ms);
    now = "2026-01-02T10:00:00Z";
    record(collector, "bob", true, 1000);
    expect(collector.getUserStats("alice", { percentiles: true })).toMatchObject({
      p50: 20,
      p95: 29,
      total_operations: 3,
    });
    expect(collector.getUserStats("alice")).not.toHaveProperty("p50");
    expect(collector.getUserStats("alice", { since: "2026-01-02", percentiles: true })).toMatchObject({ p50: null });
    expect(collector.getUserStats("\ud800", { percentiles: true })).toMatchObject({ total_operations: 0, p99: null });
    expect(collector.getGlobalStats({ until: "2026-01-02", percentiles: true })).toMatchObject({ p50: 20 });
    expect(collector.getGlobalStats({ percentiles: true })).toMatchObject({ p50: 25, total_users: 2 });
    expect(collector.getGlobalTrend({ percentiles: true })).toMatchObject([
      { period: "2026-01-01", p50: 20 },
      { period: "2026-01-02", p50: 1000, p99: 1000 },
    ]);
    expect(collector.getUserTrend("alice", { bucket: "month", percentiles: true })).toMatchObject([
      { period: "2026-01-01", trust: 0.65, p50: 20 },
    ]);
    expect(() => collector.getGlobalStats({ percentiles: "yes" as unknown as boolean })).toThrow(
      /^percentiles: expected/,
    );
  });

  test("is the same with very many interactions, except that percentiles are estimated", () => {
    using collector = open(temporaryDatabase(), { durability: "normal" });
    const count = 110_000;
    collector.recordMany(
      (function* () {
        for (let each = 0; each < count; each += 1)
          yield {
            user_id: `user${each % 10}`,
            [column]: 1,
            success: each % 4 > 0,
            response_time_ms: ((each * 7919) % 10_000) / 10,
            ...(each % 10 === 9
              ? {}
              : { metadata: { tool: each % 2 === 0 ? "search" : `t${each % 1000}`, tokens: 2 } }),
          } as never;
      })(),
    );
    const [search, none, ...more] = collector.getBreakdown("tool", { limit: 2, numbers: ["tokens"] });
    expect(search).toMatchObject({
      value: "search",
      total_operations: count / 2,
      success_rate: 0.5,
      numbers: { tokens: { count: count / 2, sum: count } },
    });
    expect(none).toMatchObject({ value: null, total_operations: count / 10 });
    expect(more).toMatchObject([{ others: 400, total_operations: count * 0.4 }]);
    for (const row of [search, none, ...more]) {
      expect(Math.abs((row?.p50 ?? 0) / 500 - 1)).toBeLessThan(0.02);
      expect(Math.abs((row?.p95 ?? 0) / 950 - 1)).toBeLessThan(0.02);
      expect(Math.abs((row?.p99 ?? 0) / 990 - 1)).toBeLessThan(0.02);
    }
    expect(collector.getBreakdown("tool", { user_id: "user0" })[0]?.p50).toBeCloseTo(499.5, 0);
    const { p50, p99 } = collector.getGlobalStats({ percentiles: true });
    expect(Math.abs((p50 ?? 0) / 500 - 1)).toBeLessThan(0.02);
    expect(Math.abs((p99 ?? 0) / 990 - 1)).toBeLessThan(0.02);
    expect(collector.getGlobalTrend({ bucket: "month", percentiles: true })).toMatchObject([{ p50, p99 }]);
  });
});
