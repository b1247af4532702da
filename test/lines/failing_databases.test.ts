import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { COLLECTORS, rowsOf, temporaryDatabase } from "./collectors.ts";

/** Changes a database like another program. */
function change(path: string, sql: string): void {
  const other = new Database(path);
  other.exec(sql);
  other.close();
}

const REFUSE = (table: string): string =>
  `CREATE TRIGGER refuse BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'not this'); END`;

describe.for(COLLECTORS)("a collector of $name whose database fails", ({ column, open, record, write }) => {
  const failed = (action: string, reason: string): unknown =>
    expect.objectContaining({
      code: "PERDURA_STORAGE",
      message: expect.stringMatching(
        new RegExp(
          `metrics\\.db: ${action} failed: ${reason}\\.${action === "reading" ? "" : " No stored data was changed\\."}$`,
        ),
      ),
    });
  const batch = [{ user_id: "u", [column]: 1, success: true, response_time_ms: 1 }] as never;

  test("names the failed operation, with each way to record", async () => {
    const path = temporaryDatabase();
    using collector = open(path);
    change(path, REFUSE("interactions"));
    expect(() => collector.recordInteraction("u", 1, true, 1)).toThrow(failed("recording", "not this"));
    expect(() => collector.recordMany(batch)).toThrow(failed("recording", "not this"));
    await expect(write(collector.writer(), "u", true, 1)).rejects.toEqual(failed("recording", "not this"));
    expect(rowsOf(path, "SELECT * FROM interactions")).toEqual([]);
  });

  test("stores no row without its metadata", async () => {
    const path = temporaryDatabase();
    using collector = open(path);
    change(path, REFUSE("interaction_metadata"));
    expect(() => record(collector, "u", true, 1, { n: 1 })).toThrow(failed("recording", "not this"));
    await expect(write(collector.writer(), "u", true, 1, { n: 1 })).rejects.toEqual(failed("recording", "not this"));
    expect(rowsOf(path, "SELECT * FROM interactions")).toEqual([]);
    record(collector, "u", true, 1);
    expect(rowsOf(path, "SELECT count(*) FROM interactions")).toEqual([[1]]);
  });

  test("names the failed operation when it reads", () => {
    const path = temporaryDatabase();
    using collector = open(path);
    change(path, "ALTER TABLE interactions RENAME TO others");
    const missing = failed("reading", "no such table: (?:main\\.)?interactions");
    expect(() => collector.getGlobalStats()).toThrow(missing);
    expect(() => collector.getUserStats("u")).toThrow(missing);
    expect(() => collector.getAllUsers()).toThrow(missing);
    expect(() => collector.exportMetrics(join(dirname(path), "x.json"))).toThrow(missing);
    expect(readdirSync(dirname(path)).filter((name) => !name.startsWith("metrics.db"))).toEqual([]);
  });
});
