import { expect, it, test } from "vitest";
import { isRollupTable } from "../../src/metrics/rollup/handover.ts";
import { differences } from "./compare.ts";
import { addRows, asked, newPath } from "./databases.ts";

it("a trigger of the user's in the place of one of ours is left alone, and so is what is ours beside it", () => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 30);
  rollup.foldAll();
  database.exec("DROP TRIGGER perdura_rollup_insert");
  database.exec("CREATE TRIGGER perdura_rollup_insert AFTER INSERT ON interactions BEGIN SELECT 1; END");
  const before = database.prepare("SELECT * FROM sqlite_schema").all();
  addRows(database, 30);
  expect(differences(rollup, allRows)).toEqual([]);
  rollup.foldAll();
  expect(database.prepare("SELECT * FROM sqlite_schema").all()).toEqual(before);
});

test("the migrator knows the tables of a rollup by their names and what made them", () => {
  const { database, rollup } = asked(newPath());
  addRows(database, 30);
  rollup.foldAll();
  const tables = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").all() as {
    name: string;
    sql: string | null;
  }[];
  expect(
    tables
      .filter(({ name, sql }) => isRollupTable(name, sql))
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(["perdura_rollup", "perdura_stale_users", "perdura_user_rollup"]);
  expect([isRollupTable("perdura_rollup", null), isRollupTable("perdura_rollup", "CREATE TABLE x")]).toEqual([
    false,
    false,
  ]);
});
