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
  /** 16 can leave the level out. */
  const level =
    column === "level" ? fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }) : fc.integer({ min: 1, max: 5 });
  const record = (metadata: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    fc
      .record({
        user_id: fc.constantFrom("ann", "bob", "cid"),
        level,
        success: fc.boolean(),
        response_time_ms: fc.nat(1000),
        metadata,
      })
      .map(({ level: given, ...rest }) => (given === undefined ? rest : { ...rest, [column]: given }));
  const described = fc.record({ tool: fc.constantFrom("search", "mail"), n: fc.nat() });
  const records = fc
    .constantFrom(described, fc.constant(null), fc.option(described))
    .chain((metadata) => fc.array(record(metadata), { maxLength: 100, size: "max" }));

  test("stores any records as calls for each of them do", () => {
    const [path, other] = [temporaryDatabase(), temporaryDatabase()];
    using together = open(path);
    using alone = open(other);
    fc.assert(
      fc.property(records, (many) => {
        expect(together.recordMany(many as never)).toBe(many.length);
        for (const each of many) alone.recordMany([each] as never);
        expect(rowsOf(path, STORED(column))).toEqual(rowsOf(other, STORED(column)));
      }),
      // The databases have the rows of all runs, so that a shorter failure cannot be looked for.
      { numRuns: 10, endOnFailure: true },
    );
  });

  const rows = (count: number): never =>
    Array.from({ length: count }, (_, row) => ({
      user_id: "ann",
      [column]: 1,
      success: true,
      response_time_ms: row,
      metadata: { row },
    })) as never;

  test.each([
    [
      "a trigger ignores one in the middle",
      "CREATE TRIGGER perdura_no BEFORE INSERT ON interactions WHEN NEW.response_time_ms = 20 BEGIN SELECT RAISE(IGNORE); END",
    ],
    [
      "a trigger ignores the metadata of one",
      "CREATE TRIGGER perdura_no BEFORE INSERT ON interaction_metadata WHEN NEW.interaction_id = 20 BEGIN SELECT RAISE(IGNORE); END",
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
