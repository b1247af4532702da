import { expect, it, test } from "vitest";
import { isRollupTable } from "../../src/metrics/rollup/handover.ts";
import { differences } from "./compare.ts";
import { addRows, asked, newPath } from "./databases.ts";

it("does not change a user's trigger with a name of the rollup, nor the other objects of the rollup", () => {
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

test("isRollupTable recognises tables by their names and their SQL", () => {
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
  ).toEqual([
    "perdura_days",
    "perdura_key_values",
    "perdura_rollup",
    "perdura_stale_users",
    "perdura_summed_keys",
    "perdura_user_days",
    "perdura_user_key_days",
    "perdura_user_rollup",
    "perdura_value_days",
  ]);
  expect([isRollupTable("perdura_rollup", null), isRollupTable("perdura_rollup", "CREATE TABLE x")]).toEqual([
    false,
    false,
  ]);
});
