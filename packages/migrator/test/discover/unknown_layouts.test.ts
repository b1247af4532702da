import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { DOCUMENTED_15, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

const METRICS = "user_id TEXT, success, response_time_ms, timestamp";

test.each([
  [
    "the documented layout with both level columns",
    [DOCUMENTED_15, "ALTER TABLE interactions ADD level INT"],
    "unknown",
  ],
  ["field layout A with both level columns", [FIELD_A, "ALTER TABLE metrics ADD Level INT"], "unknown"],
  [
    "an id that is not a row id",
    [DOCUMENTED_15.replace("INTEGER PRIMARY KEY AUTOINCREMENT", "INT PRIMARY KEY")],
    "unknown",
  ],
  ["a table with few columns", ["CREATE TABLE interactions (user_id, empathy_level)"], "unknown"],
  [
    "an unusual table in addition to the documented one",
    [DOCUMENTED_15, "CREATE TABLE metrics (user_id, empathy_level)"],
    "unknown",
  ],
  ["a table without levels", [`CREATE TABLE interactions (id INTEGER PRIMARY KEY, ${METRICS})`], "unknown"],
  ["two tables, one without a row id", [DOCUMENTED_15, `CREATE TABLE metrics (id TEXT, ${METRICS})`], "both"],
])("recognises and refuses %s, and does not change it", async (_what, statements, layout) => {
  const folder = freshFolder();
  makeDatabase(join(folder, "m.db"), ...statements);
  const before = stampOf(folder);
  expect(await migrate(folder)).toMatchObject({
    exit_code: 3,
    databases: [{ status: "refused", layout, reason: expect.stringContaining("match no layout") }],
  });
  expect(stampOf(folder)).toBe(before);
});

test("leaves tables of other programs with equal names alone", async () => {
  const folder = freshFolder();
  makeDatabase(
    join(folder, "m.db"),
    "CREATE TABLE metrics (user_id, name, value)",
    "CREATE TABLE interactions (level)",
  );
  expect(await migrate(folder)).toMatchObject({
    exit_code: 0,
    databases: [{ status: "left_alone", layout: "foreign" }],
  });
});
