import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { COLLECTORS, rowsOf, temporaryDatabase } from "./collectors.ts";

const STORED = (column: string): string =>
  `SELECT CAST(id AS TEXT), user_id, ${column}, success, response_time_ms, metadata
     FROM interactions LEFT JOIN interaction_metadata ON id = interaction_id ORDER BY id`;

function execute(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

describe.for(COLLECTORS)("recordMany of $name", ({ column, open }) => {
  const record = fc.record({
    user_id: fc.constantFrom("ann", "bob", "cid"),
    [column]: fc.integer({ min: 1, max: 5 }),
    success: fc.boolean(),
    response_time_ms: fc.nat(1000),
    metadata: fc.oneof(
      { weight: 9, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constant({ tool: "a" }) },
    ),
  });
  // 16 can leave the level out.
  const ofLine = column === "level" ? fc.oneof({ weight: 19, arbitrary: record }, record.map(withoutLevel)) : record;

  test("stores any records as calls for each of them do", () => {
    const [path, other] = [temporaryDatabase(), temporaryDatabase()];
    using together = open(path);
    using alone = open(other);
    fc.assert(
      fc.property(fc.array(ofLine, { maxLength: 100 }), (records) => {
        expect(together.recordMany(records as never)).toBe(records.length);
        for (const each of records) alone.recordMany([each] as never);
        expect(rowsOf(path, STORED(column))).toEqual(rowsOf(other, STORED(column)));
      }),
      { numRuns: 10 },
    );
  });

  const rows = (count: number): never =>
    Array.from({ length: count }, (_, row) => ({
      user_id: "ann",
      [column]: 1,
      success: true,
      response_time_ms: row,
    })) as never;

  test.each([
    [
      "a trigger ignores one in the middle",
      "CREATE TRIGGER perdura_no BEFORE INSERT ON interactions WHEN NEW.response_time_ms = 20 BEGIN SELECT RAISE(IGNORE); END",
    ],
    [
      "a trigger refuses one",
      "CREATE TRIGGER no BEFORE INSERT ON interactions WHEN NEW.response_time_ms = 20 BEGIN SELECT RAISE(FAIL, 'no'); END",
    ],
    ["an index refuses one", "CREATE UNIQUE INDEX no ON interactions (response_time_ms % 20)"],
    ["one would have an id above 2^53-1", "INSERT INTO sqlite_sequence VALUES ('interactions', 9007199254740991 - 20)"],
  ])("stores none if %s", (_what, sql) => {
    const path = temporaryDatabase();
    open(path).close();
    execute(path, sql);
    using collector = open(path);
    expect(() => collector.recordMany(rows(40))).toThrow(expect.objectContaining({ code: "PERDURA_STORAGE" }));
    expect(rowsOf(path, "SELECT count(*) FROM interactions")).toEqual([[0]]);
  });
});

function withoutLevel({ level: _level, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return rest;
}
