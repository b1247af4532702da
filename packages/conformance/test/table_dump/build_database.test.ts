import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { openDatabase } from "../../src/inspect/database_copy.ts";
import { buildDatabase } from "../../src/table_dump/build_database.ts";
import type { DumpedTable } from "../../src/table_dump/dump.ts";

function built(...tables: DumpedTable[]) {
  const folder = freshFolder();
  const path = join(folder, "built.db");
  buildDatabase({ table_dump: 1, tables }, path, "the case's");
  const database = openDatabase(path);
  onTestFinished(() => {
    database.close();
  });
  return database;
}

const table = (more: Partial<DumpedTable>): DumpedTable => ({
  name: "t",
  columns: [],
  unique: [],
  foreign_keys: [],
  indexes: [],
  rows: [],
  ...more,
});

it("keeps every value exactly, with the class of its column", () => {
  const types = ["integer", "real", "boolean", "text", "json", "timestamp", "other"] as const;
  const database = built(
    table({
      columns: types.map((type) => ({ name: type, type, nullable: true })),
      rows: [
        [{ $int: "9223372036854775807" }, 1, true, "007", '{"b": 1.0}', "2026-01-01 00:00:00", "x"],
        [{ $int: "-9007199254740993" }, -0.1, false, "a\0b", "[]", "12", 7],
        [0, { $number: "Infinity" }, null, "'", null, null, null],
        [null, { $number: "NaN" }, null, null, null, null, null],
      ],
    }),
  );
  expect([...database.each("SELECT * FROM t")]).toEqual([
    [9223372036854775807n, 1, 1n, "007", '{"b": 1.0}', "2026-01-01 00:00:00", "x"],
    [-9007199254740993n, -0.1, 0n, "a\0b", "[]", "12", 7n],
    [0n, Infinity, null, "'", null, null, null],
    [null, "NaN", null, null, null, null, null],
  ]);
});

it("fills in the default of a missing value", () => {
  const plain = { type: "text", nullable: false } as const;
  const database = built(
    table({
      columns: [
        { name: "id", type: "integer", nullable: false, default: { generated: true } },
        { name: "place", type: "integer", nullable: false, default: { generated: true } },
        { ...plain, name: "word", default: { gives: "it's" } },
        { name: "half", type: "real", nullable: true, default: { gives: 0.5 } },
        { name: "whole", type: "real", nullable: true, default: { gives: 1 } },
        { name: "large", type: "integer", nullable: true, default: { gives: { $int: "-9223372036854775808" } } },
        { name: "yes", type: "boolean", nullable: false, default: { gives: true } },
        { name: "none", type: "text", nullable: true },
      ],
      primary_key: ["id"],
      rows: [[7, 1, "w", null, null, null, false, null]],
    }),
  );
  database.run("INSERT INTO t DEFAULT VALUES; INSERT INTO t (none) VALUES ('x')");
  const [, second, third] = [
    ...database.each("SELECT id, word, half, whole, large, yes, none, place FROM t ORDER BY id"),
  ];
  expect(second?.slice(0, 7)).toEqual([8n, "it's", 0.5, 1, -9223372036854775808n, 1n, null]);
  expect(third?.[0]).toBe(9n);
  expect(typeof third?.[7]).toBe("bigint");
  expect(third?.[7]).not.toBe(second?.[7]);
});

it("has working keys and indexes", () => {
  const number = { type: "integer", nullable: false } as const;
  const database = built(
    table({
      name: "parent",
      columns: [
        { ...number, name: "a" },
        { ...number, name: "b" },
      ],
      primary_key: ["a", "b"],
      rows: [[1, 1]],
    }),
    table({
      name: "child",
      columns: [
        { ...number, name: "a" },
        { ...number, name: "b" },
        { ...number, name: "c" },
      ],
      unique: [["c"]],
      foreign_keys: [{ columns: ["a", "b"], table: "parent", references: ["a", "b"], on_delete: "cascade" }],
      indexes: [
        { name: "one", columns: ["a", null], unique: false, partial: false },
        { name: "some", columns: ["b"], unique: true, partial: true },
      ],
      rows: [
        [1, 1, 1],
        [1, 1, 2],
      ],
    }),
  );
  expect(() => database.run("INSERT INTO parent VALUES (1, 1)")).toThrow(/UNIQUE/);
  expect(() => database.run("INSERT INTO child VALUES (1, 1, 1)")).toThrow(/UNIQUE/);
  expect(() => database.run("INSERT INTO child VALUES (2, 1, 3)")).toThrow(/FOREIGN KEY/);
  expect(
    database.rows("SELECT name, partial FROM pragma_index_list('child') WHERE origin = 'c' ORDER BY name"),
  ).toEqual([
    { name: "one", partial: 0 },
    { name: "some", partial: 1 },
  ]);
  expect(database.rows("SELECT name FROM pragma_index_info('one')")).toEqual([{ name: "a" }, { name: null }]);
  database.run("DELETE FROM parent");
  expect(database.rows("SELECT * FROM child")).toEqual([]);
});
