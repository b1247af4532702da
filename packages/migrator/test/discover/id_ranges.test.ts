import { describe, expect, test } from "vitest";
import { idRanges } from "../../src/database/sql/row_id.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";

const [LOWEST, HIGHEST] = [-(2n ** 63n), 2n ** 63n - 1n];

describe("the ranges contain each row once", () => {
  test.each([
    ["no row", [], 5_000_000, 0],
    ["one row", [7n], 5_000_000, 1],
    ["fewer rows than were counted", [1n, 2n, 3n], 5_000_000, 3],
    ["rows side by side", Array.from({ length: 100 }, (_, index) => BigInt(index)), 9_999_999, 10],
    ["few rows", Array.from({ length: 100 }, (_, index) => BigInt(index)), 999_999, 1],
    ["ids with gaps", [-5n, 1n, 2n, 3n, 10n ** 12n, 10n ** 15n], 2_500_000, 3],
    ["the ends of what is possible", [LOWEST, -1n, 0n, HIGHEST], 3_000_000, 4],
    ["the highest id only", [HIGHEST], 3_000_000, 1],
  ])("%s", (_what, ids, rows, expected) => {
    const database = connect(":memory:");
    database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY)");
    for (const id of ids) database.prepare("INSERT INTO t VALUES (?)").run(id);
    const ranges = idRanges(database, "main.t", "id", rows);
    expect(ranges).toHaveLength(expected);
    const found = ranges.flatMap(({ first, last }) =>
      // As text in the statement, as in its use.
      database
        .prepare(`SELECT id FROM t WHERE id BETWEEN ${first} AND ${last} ORDER BY id`)
        .pluck()
        .safeIntegers()
        .all(),
    );
    expect(found).toEqual(ids);
    database.close();
  });
});
