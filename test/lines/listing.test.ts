import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rawNumber } from "@perdura/internals/json/values.js";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { COLLECTORS, temporaryDatabase } from "./collectors.ts";

const clock = (): Date => new Date("2026-01-02T03:04:05Z");

describe.each(COLLECTORS)("$name", ({ open, record, column }) => {
  test("lists interactions with their metadata, newest first", () => {
    using collector = open(temporaryDatabase(), { clock });
    record(collector, "alice", true, 10, { tool: "search", big: 12345678901234567890n });
    record(collector, "bob", false, 20.5);
    expect([...collector.listInteractions()]).toEqual([
      {
        id: 2,
        user_id: "bob",
        [column]: 1,
        success: false,
        response_time_ms: 20.5,
        timestamp: "2026-01-02 03:04:05",
        metadata: null,
      },
      {
        id: 1,
        user_id: "alice",
        [column]: 1,
        success: true,
        response_time_ms: 10,
        timestamp: "2026-01-02 03:04:05",
        metadata: { tool: "search", big: rawNumber("12345678901234567890") },
      },
    ]);
  });

  test("selects by user, result, time and metadata", () => {
    using collector = open(temporaryDatabase(), { clock });
    record(collector, "alice", true, 1, { tool: "search", depth: 1 });
    record(collector, "alice", false, 2, { tool: "fetch", cached: true });
    record(collector, "bob", false, 3, { tool: "search", depth: 2.5 });
    record(collector, "bob", true, 4, { tool: null });
    const ids = (options: object): unknown[] => [...collector.listInteractions(options)].map(({ id }) => id);
    expect(ids({ user_id: "alice" })).toEqual([2, 1]);
    expect(ids({ success: false, order: "oldest" })).toEqual([2, 3]);
    expect(ids({ where: { tool: "search" } })).toEqual([3, 1]);
    expect(ids({ where: { tool: "search", depth: 2.5 } })).toEqual([3]);
    expect(ids({ where: { cached: true } })).toEqual([2]);
    expect(ids({ where: { tool: null } })).toEqual([4]);
    expect(ids({ where: { depth: "1" } })).toEqual([]);
    expect(ids({ since: "2026-01-02", until: "2026-01-03" })).toEqual([4, 3, 2, 1]);
    expect(ids({ until: "2026-01-02T03:04:05" })).toEqual([]);
    expect(ids({ user_id: "\ud800" })).toEqual([]);
    record(collector, "carol", true, 5, { tool: "\ufffd" });
    expect(ids({ where: { tool: "\ud800" } })).toEqual([]);
  });

  test("other calls are possible during a list, which has the rows of its beginning", () => {
    using collector = open(temporaryDatabase());
    for (let each = 0; each < 250; each += 1) record(collector, "alice", true, each);
    const seen: unknown[] = [];
    for (const { id } of collector.listInteractions({ order: "oldest" })) {
      seen.push(id);
      record(collector, "bob", true, 1);
      collector.getGlobalStats();
    }
    expect(seen).toEqual(Array.from({ length: 250 }, (_, each) => each + 1));
    expect([...collector.listInteractions({ user_id: "alice" })]).toHaveLength(250);
  });

  test("values that the specification does not allow are null, and every id is exact", () => {
    const path = temporaryDatabase();
    using collector = open(path);
    const program = new Database(path);
    program.exec(`INSERT INTO interactions (id, user_id, ${column}, success, response_time_ms, timestamp) VALUES
        (9223372036854775807, 'a', 'high', 'yes', 'fast', x'31'), (-9223372036854775808, 'a', 9, 'no', 9e999, NULL),
        (9007199254740993, 5, 2, 1, 7, 'noon');
      INSERT INTO interaction_metadata VALUES (9223372036854775807, '{"a": NaN}'), (9007199254740993, '[1]')`);
    program.close();
    for (const order of ["newest", "oldest"] as const) {
      const rows = [...collector.listInteractions({ order })];
      expect(order === "newest" ? rows : rows.toReversed()).toMatchObject([
        { id: 9223372036854775807n, [column]: null, success: false, response_time_ms: null, metadata: null },
        { id: 9007199254740993n, user_id: "5", [column]: 2, response_time_ms: 7, timestamp: "noon", metadata: null },
        { id: -9223372036854775808n, [column]: null, success: false, response_time_ms: null, timestamp: null },
      ]);
    }
  });

  test("metadata that another program stored as a blob are read by every question and every export", () => {
    const path = temporaryDatabase();
    using collector = open(path, { clock });
    for (let each = 0; each < 3; each += 1) record(collector, "alice", true, 1);
    const program = new Database(path);
    program.exec(`INSERT INTO interaction_metadata VALUES (1, CAST('{"tool":"search"}' AS BLOB)), (2, x'ff'),
      (3, jsonb('{"tool":"search"}'))`);
    program.close();
    const rows = [...collector.listInteractions({ order: "oldest" })];
    expect(rows.map(({ metadata }) => metadata)).toEqual([{ tool: "search" }, null, null]);
    expect([...collector.listInteractions({ where: { tool: "search" } })]).toMatchObject([{ id: 1 }]);
    expect(collector.getBreakdown("tool")).toMatchObject([
      { value: null, total_operations: 2 },
      { value: "search", total_operations: 1 },
    ]);
    const file = join(freshFolder(), "rows.jsonl");
    collector.exportMetrics(file);
    expect(
      readFileSync(file, "utf8")
        .split("\n", 2)
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([
      { id: 1, metadata: { tool: "search" } },
      { id: 2, metadata: null, metadata_text: "\ufffd" },
    ]);
  });

  test("refuses other options by name, at the call", () => {
    using collector = open(temporaryDatabase());
    const refused = (options: object): string => {
      try {
        collector.listInteractions(options);
      } catch (error) {
        return (error as Error).message;
      }
      return "accepted";
    };
    expect(refused({ user: "a" })).toMatch(/^options: unknown option "user"/);
    expect(refused({ order: "desc" })).toMatch(/^order: expected "newest" or "oldest", got "desc"/);
    expect(refused({ success: 1 })).toMatch(/^success: expected a boolean, got 1/);
    expect(refused({ where: { a: [] } })).toMatch(/^where.a: expected text, a number, a boolean or null/);
    expect(refused({ where: [] })).toMatch(/^where: expected an object/);
    const list = collector.listInteractions();
    collector.close();
    expect(() => [...list]).toThrow(/was closed/);
  });
});
