import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { COLLECTORS, rowsOf, temporaryDatabase } from "./collectors.ts";

/** The files of a database that contain a text. */
function filesWith(path: string, text: string): string[] {
  return readdirSync(dirname(path)).filter((name) => readFileSync(join(dirname(path), name)).includes(text));
}

/** Runs SQL of another program, which does not enforce foreign keys. */
function execute(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
  database.close();
}

describe.each(COLLECTORS)("$name", ({ open, record, column }) => {
  test("forgets a user: interactions, metadata and statistics", () => {
    const path = temporaryDatabase();
    using collector = open(path);
    record(collector, "alice", true, 10, { note: "private" });
    record(collector, "alice", false, 20);
    record(collector, "bob", true, 30, { note: "public" });
    expect(collector.forgetUser("alice")).toEqual({ interactions: 2, metadata: 1 });
    expect(collector.getAllUsers()).toEqual(["bob"]);
    expect(collector.getUserStats("alice").total_operations).toBe(0);
    expect(collector.getGlobalStats()).toEqual({ total_users: 1, total_interactions: 1, success_rate: 1 });
    expect(collector.getUserTrend("alice")).toEqual([]);
    expect(rowsOf(path, "SELECT interaction_id, metadata FROM interaction_metadata")).toEqual([
      [3, '{"note":"public"}'],
    ]);
    expect(collector.forgetUser("alice")).toEqual({ interactions: 0, metadata: 0 });
  });

  test.for(["interactions", "interaction_metadata"])("reports a trigger that keeps rows of %s", (table) => {
    const path = temporaryDatabase();
    using collector = open(path);
    record(collector, "alice", true, 10, { note: "private" });
    record(collector, "bob", true, 30, { note: "public" });
    execute(path, `CREATE TRIGGER keep BEFORE DELETE ON ${table} BEGIN SELECT RAISE(IGNORE); END`);
    const rows = (): unknown => [
      rowsOf(path, "SELECT id FROM interactions"),
      rowsOf(path, "SELECT interaction_id FROM interaction_metadata"),
    ];
    const before = rows();
    for (const remove of [() => collector.forgetUser("alice"), () => collector.deleteBefore("9000-01-01")])
      expect(remove).toThrow(
        `a trigger on the table ${table} ignored the row. What was deleted before stays deleted. Call again for the rest. Drop the trigger, or let it accept such rows.`,
      );
    expect(rows()).toEqual(before);
    execute(path, "DROP TRIGGER keep");
    expect(collector.forgetUser("alice")).toEqual({ interactions: 1, metadata: 1 });
  });

  test("forgets a user among very many rows, with sums, and reports the progress", () => {
    const path = temporaryDatabase();
    using collector = open(path, { durability: "normal" });
    const rows = Array.from({ length: 20_000 }, (_, each) => ({
      user_id: each % 4 === 0 ? "alice@example.com" : `user${each % 50}`,
      empathy_level: 1 + (each % 5),
      level: 1 + (each % 5),
      success: each % 3 > 0,
      response_time_ms: each,
      metadata: { note: `row ${each}` },
    }));
    const other = column === "level" ? "empathy_level" : "level";
    for (const row of rows) delete (row as Partial<typeof row>)[other];
    collector.recordMany(rows);
    for (let each = 0; each < 50; each += 1) collector.getGlobalStats();
    const { [0]: before } = rowsOf(
      path,
      "SELECT count(*) FROM perdura_user_rollup WHERE user_id = 'alice@example.com'",
    );
    expect(before).toEqual([1]);
    const seen: { done: number; total: number }[] = [];
    const options = { erase: true, onProgress: (progress: { done: number; total: number }) => seen.push(progress) };
    expect(collector.forgetUser("alice@example.com", options)).toEqual({ interactions: 5000, metadata: 5000 });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.at(-1)).toEqual({ done: 5000, total: 5000 });
    expect(collector.getGlobalStats().total_interactions).toBe(15_000);
    expect(collector.getAllUsers()).not.toContain("alice@example.com");
    expect(filesWith(path, "alice@example.com")).toEqual([]);
    expect(filesWith(path, "row 19996")).toEqual([]);
    expect(filesWith(path, "row 19997")).not.toEqual([]);
  });

  test("deletes what is before a moment, of all users or of one", () => {
    const path = temporaryDatabase();
    let now = new Date("2026-01-01T00:00:00Z");
    using collector = open(path, { clock: () => now });
    for (let day = 0; day < 10; day += 1) {
      now = new Date(Date.UTC(2026, 0, 1 + day, 12));
      record(collector, "alice", day !== 0, 10, { day });
      record(collector, "bob", true, 10);
    }
    expect(collector.deleteBefore("2026-01-04", { user_id: "alice" })).toEqual({ interactions: 3, metadata: 3 });
    expect(collector.deleteBefore(new Date("2026-01-03T12:00:00Z"))).toEqual({ interactions: 2, metadata: 0 });
    expect(collector.getUserTrend("alice").map(({ period }) => period)[0]).toBe("2026-01-04");
    expect(collector.getUserTrend("alice").at(0)?.trust).toBe(0.55);
    expect(collector.getUserStats("bob").total_operations).toBe(8);
  });

  test("times of other programs count by their moment; rows without one are kept", () => {
    const path = temporaryDatabase();
    open(path).close();
    const times = [
      "'2026-01-01T00:30:00+02:00'",
      "'2025-12-31T23:00:00-05:00'",
      "1767225599",
      "1767225600000",
      "'never'",
      "NULL",
      "x'00'",
      "'2026-01-01 00:00:00'",
    ];
    execute(
      path,
      `INSERT INTO interactions (user_id, ${column}, success, timestamp) VALUES ${times.map((time) => `('u', 1, 1, ${time})`).join(", ")}`,
    );
    using collector = open(path);
    expect(collector.deleteBefore("2026-01-01T00:00:00")).toEqual({ interactions: 2, metadata: 0 });
    expect(rowsOf(path, "SELECT id FROM interactions ORDER BY id").flat()).toEqual([2, 4, 5, 6, 7, 8]);
    expect(collector.deleteBefore("9999-12-31", { user_id: "u" })).toEqual({ interactions: 3, metadata: 0 });
  });

  test("erases what was deleted before, also by another program", () => {
    const path = temporaryDatabase();
    {
      using collector = open(path);
      for (let each = 0; each < 300; each += 1)
        record(collector, `user-${each % 7}@example.com`, true, 1, { secret: `secret ${each}` });
    }
    execute(path, "DELETE FROM interactions WHERE user_id = 'user-3@example.com' OR id > 200");
    expect(filesWith(path, "user-3@example.com")).not.toEqual([]);
    using collector = open(path);
    expect(collector.forgetUser("user-3@example.com", { erase: true })).toEqual({ interactions: 0, metadata: 0 });
    expect(filesWith(path, "user-3@example.com")).toEqual([]);
    expect(filesWith(path, "secret 299")).toEqual([]);
    expect(collector.getUserStats("user-2@example.com").total_operations).toBe(29);
  });

  test("gives the space back", () => {
    const path = temporaryDatabase();
    using collector = open(path);
    for (let each = 0; each < 200; each += 1) record(collector, "alice", true, 1, { text: "x".repeat(2000) });
    collector.forgetUser("alice");
    const { bytes_before, bytes_after } = collector.compact();
    expect(bytes_before).toBeGreaterThan(400_000);
    expect(bytes_after).toBeLessThan(100_000);
  });

  test.each([
    ["userId", (collector: ReturnType<typeof open>) => collector.forgetUser(3 as unknown as string)],
    ["time", (collector: ReturnType<typeof open>) => collector.deleteBefore("yesterday")],
    [
      "user_id",
      (collector: ReturnType<typeof open>) =>
        collector.deleteBefore("2026-01-01", { user_id: undefined as unknown as string }),
    ],
    ["options", (collector: ReturnType<typeof open>) => collector.forgetUser("u", { eraze: true } as object)],
    ["erase", (collector: ReturnType<typeof open>) => collector.forgetUser("u", { erase: 1 as unknown as boolean })],
    [
      "onProgress",
      (collector: ReturnType<typeof open>) => collector.forgetUser("u", { onProgress: true as unknown as () => void }),
    ],
  ])("refuses a wrong %s", (argument, call) => {
    using collector = open(":memory:");
    record(collector, "u", true, 1);
    expect(() => call(collector)).toThrow(expect.objectContaining({ code: "PERDURA_VALIDATION", argument }));
    expect(collector.getUserStats("u").total_operations).toBe(1);
  });

  test("a deletion ends if the caller's function throws; the rest stays", () => {
    using collector = open(":memory:");
    for (let each = 0; each < 600; each += 1) record(collector, "u", true, 1);
    const failure = new Error("stop");
    expect(() =>
      collector.forgetUser("u", {
        onProgress: () => {
          throw failure;
        },
      }),
    ).toThrow(failure);
    const left = collector.getUserStats("u").total_operations;
    expect(left).toBeGreaterThan(0);
    expect(collector.forgetUser("u").interactions).toBe(left);
  });

  test.each([
    ["a deletion", "DELETE FROM interactions WHERE id = 1", [[2, '{"n":2}']]],
    [
      "a replacement",
      `INSERT OR REPLACE INTO interactions (id, user_id, ${column}, success) VALUES (1, 'b', 1, 1)`,
      [[2, '{"n":2}']],
    ],
    [
      "an ignored row",
      `INSERT OR IGNORE INTO interactions (id, user_id, ${column}, success) VALUES (1, 'b', 1, 1)`,
      [
        [1, '{"n":1}'],
        [2, '{"n":2}'],
      ],
    ],
    [
      "an update of the id",
      "UPDATE interactions SET id = 7 WHERE id = 1",
      [
        [2, '{"n":2}'],
        [7, '{"n":1}'],
      ],
    ],
  ])("metadata belong to their row after %s by another program", (_what, sql, left) => {
    const path = temporaryDatabase();
    {
      using collector = open(path);
      record(collector, "a", true, 1, { n: 1 });
      record(collector, "a", true, 1, { n: 2 });
    }
    execute(path, sql);
    expect(rowsOf(path, "SELECT * FROM interaction_metadata ORDER BY 1")).toEqual(left);
  });
});
