import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { COLLECTORS, rowsOf } from "./collectors.ts";

/** The highest id that JavaScript represents exactly. */
const HIGHEST = 2n ** 53n - 1n;

/** Two ids of another program that a double rounds to one number. */
const [ONE, OTHER] = ["1234567890123456768", "1234567890123456769"];

function execute(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

describe.for(COLLECTORS)("$name", ({ column, open, record, write }) => {
  const insert = (path: string, id: string | bigint, user: string): void =>
    execute(
      path,
      `INSERT INTO interactions (id, user_id, ${column}, success, response_time_ms) VALUES (${id}, '${user}', 3, 1, 10)`,
    );
  const all = (path: string): unknown[] =>
    rowsOf(
      path,
      "SELECT CAST(id AS TEXT), user_id, metadata FROM interactions LEFT JOIN interaction_metadata ON id = interaction_id ORDER BY id",
    );

  function filled(...rows: [id: string | bigint, user: string][]): string {
    const path = join(freshFolder(), "m.db");
    open(path).close();
    for (const [id, user] of rows) insert(path, id, user);
    return path;
  }

  test("writes nothing when the next id would be above 2^53-1", async () => {
    const path = filled([ONE, "bob"]);
    const collector = open(path);
    const refusal = expect.objectContaining({
      code: "PERDURA_STORAGE",
      path,
      message: expect.stringContaining(`the highest id is ${ONE}`) as string,
    });
    expect(() => record(collector, "ann", true, 5)).toThrow(refusal);
    expect(() => record(collector, "ann", true, 5, { secret: 1 })).toThrow(refusal);
    expect(() => collector.recordInteraction("ann", 2, true, 1)).toThrow(refusal);
    expect(() =>
      collector.recordMany([{ user_id: "ann", success: true, response_time_ms: 1, [column]: 1 } as never]),
    ).toThrow(refusal);
    const writer = collector.writer();
    await expect(write(writer, "ann", true, 1)).rejects.toThrow(refusal);
    collector.close();
    expect(all(path)).toEqual([[ONE, "bob", null]]);
  });

  test("records up to 2^53-1 and no further", () => {
    const path = filled([HIGHEST - 2n, "bob"]);
    const collector = open(path);
    record(collector, "ann", true, 5, { n: 1 });
    expect(collector.recordInteraction("ann", 2, true, 5)).toBe(Number(HIGHEST));
    expect(() => collector.recordInteraction("ann", 2, true, 5)).toThrow("would be above 9007199254740991");
    collector.close();
    expect(all(path)).toEqual([
      [String(HIGHEST - 2n), "bob", null],
      [String(HIGHEST - 1n), "ann", '{"n":1}'],
      [String(HIGHEST), "ann", null],
    ]);
  });

  test("stores none of many rows if the last one would be above 2^53-1", () => {
    const path = filled([HIGHEST - 2n, "bob"]);
    using collector = open(path);
    const records = (count: number): never[] =>
      Array.from(
        { length: count },
        () => ({ user_id: "ann", success: true, response_time_ms: 1, [column]: 1 }) as never,
      );
    expect(() => collector.recordMany(records(3))).toThrow(
      expect.objectContaining({
        code: "PERDURA_STORAGE",
        message: expect.stringContaining(`the highest id is ${HIGHEST}. Nothing was written.`) as string,
      }),
    );
    expect(all(path)).toEqual([[String(HIGHEST - 2n), "bob", null]]);
    expect(collector.recordMany(records(2))).toBe(2);
  });

  test("refuses also after the row with the high id was deleted, because AUTOINCREMENT continues above it", () => {
    const path = filled([ONE, "bob"]);
    execute(path, "DELETE FROM interactions");
    const collector = open(path);
    expect(() => collector.recordInteraction("ann", 2, true, 5)).toThrow(`the highest id is ${ONE}`);
    expect(collector.getGlobalStats().total_interactions).toBe(0);
    collector.close();
  });

  test("refuses without AUTOINCREMENT, and continues when the rows are gone", () => {
    const path = join(freshFolder(), "m.db");
    execute(
      path,
      `CREATE TABLE interactions (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL, ${column} INTEGER NOT NULL,
         success BOOLEAN NOT NULL, response_time_ms REAL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP)`,
    );
    insert(path, ONE, "bob");
    const collector = open(path);
    expect(() => collector.recordInteraction("ann", 2, true, 5)).toThrow(`the highest id is ${ONE}`);
    execute(path, "DELETE FROM interactions");
    expect(collector.recordInteraction("ann", 2, true, 5)).toBe(1);
    collector.close();
  });

  test("sees a high id that another program adds while the collector is open", () => {
    const path = filled();
    const collector = open(path);
    expect(collector.recordInteraction("ann", 2, true, 5)).toBe(1);
    insert(path, ONE, "bob");
    expect(() => collector.recordInteraction("ann", 2, true, 5)).toThrow(`the highest id is ${ONE}`);
    collector.close();
  });

  test.each(["'abc'", "x'00'", "1e300"])(
    "names the counter %s, which is not an integer, and its correction",
    (value) => {
      const path = filled([7n, "bob"]);
      execute(path, `UPDATE sqlite_sequence SET seq = ${value}`);
      const collector = open(path);
      const reasonOf = (): string => {
        try {
          record(collector, "ann", true, 5);
          return "";
        } catch (error) {
          return (error as Error).message;
        }
      };
      const reason = reasonOf();
      expect(reason).toContain("the counter of the table interactions in sqlite_sequence is ");
      execute(path, /UPDATE .*;/.exec(reason)?.[0] ?? "");
      expect(collector.recordInteraction("ann", 2, true, 5)).toBe(8);
      collector.close();
    },
  );

  test("ignores the counters of other tables", () => {
    const path = filled();
    execute(path, `CREATE TABLE other (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO other VALUES (${ONE})`);
    const collector = open(path);
    expect(collector.recordInteraction("ann", 2, true, 5)).toBe(1);
    collector.close();
  });

  test("counts and exports rows with such ids exactly", () => {
    const path = filled([ONE, "bob"], [OTHER, "ann"], [`-${OTHER}`, "ann"], [5n, "bob"]);
    execute(path, `INSERT INTO interaction_metadata VALUES (${OTHER}, '{"of":"ann"}')`);
    const collector = open(path);
    expect(collector.getUserStats("ann")).toMatchObject({ total_operations: 2, avg_response_time_ms: 10 });
    expect(collector.getGlobalStats()).toMatchObject({ total_users: 2, total_interactions: 4 });
    expect(collector.getUserTrend("ann", { bucket: "day" })).toMatchObject([{ total_operations: 2 }]);
    const ids = [`-${OTHER}`, "5", ONE, OTHER];
    for (const extension of ["json", "jsonl", "csv"]) {
      const file = join(freshFolder(), `out.${extension}`);
      expect(collector.exportMetrics(file)).toBe(4);
      const text = readFileSync(file, "utf8");
      const pattern = extension === "csv" ? /^(-?\d+),.*$/gm : /"id":(-?\d+),.*$/gm;
      const found = [...text.matchAll(pattern)];
      expect(found.map(([, id]) => id)).toEqual(ids);
      expect(found.filter(([line]) => line.includes("of")).map(([, id]) => id)).toEqual([OTHER]);
    }
    collector.close();
  });

  test("does not acknowledge a row that a trigger ignores", () => {
    const path = filled();
    execute(
      path,
      "CREATE TRIGGER no_tests BEFORE INSERT ON interactions WHEN new.user_id LIKE 'test%' BEGIN SELECT RAISE(IGNORE); END",
    );
    const collector = open(path);
    expect(collector.recordInteraction("ann", 2, true, 5)).toBe(1);
    expect(() => record(collector, "test-user", true, 5, { n: 1 })).toThrow(
      expect.objectContaining({ code: "PERDURA_STORAGE" }),
    );
    expect(() => collector.recordInteraction("test-user", 2, true, 5)).toThrow(
      "a trigger on the table interactions ignored the row",
    );
    collector.close();
    expect(all(path)).toEqual([["1", "ann", null]]);
  });

  test("does not acknowledge a row without its metadata, or one that a conflict clause ignores", () => {
    const path = filled([7n, "bob"]);
    execute(path, "CREATE TRIGGER no_metadata BEFORE INSERT ON interaction_metadata BEGIN SELECT RAISE(IGNORE); END");
    const collector = open(path);
    expect(() => record(collector, "ann", true, 5, { n: 1 })).toThrow(
      "a trigger on the table interaction_metadata ignored the row. Nothing was written.",
    );
    collector.close();
    expect(all(path)).toEqual([["7", "bob", null]]);
    execute(
      path,
      `DROP TABLE interactions; CREATE TABLE interactions (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL UNIQUE ON CONFLICT IGNORE, ${column} INTEGER NOT NULL,
         success BOOLEAN NOT NULL, response_time_ms REAL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP)`,
    );
    const other = open(path);
    record(other, "bob", true, 5);
    expect(() => record(other, "bob", true, 5)).toThrow(
      "a constraint of the table interactions with ON CONFLICT IGNORE ignored the row. Nothing was written.",
    );
    other.close();
    expect(all(path)).toEqual([["1", "bob", null]]);
  });
});
