import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { DOCUMENTED_15 } from "../../src/database/layouts/table_layouts.ts";
import { rotated, TABLES_WITH_ALL_COLUMNS, useLayout } from "../layouts/layout_suite.ts";
import { oldTable, spelled } from "../layouts/old_table.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

describe("names an object of the user that the change would break, and needs a decision", () => {
  const OBJECTS = [
    [
      "a trigger that copies whole rows",
      "CREATE TABLE log (a, b, c, d, e, f, g, h); CREATE TRIGGER copy AFTER INSERT ON metrics BEGIN INSERT INTO log SELECT * FROM metrics WHERE id = NEW.id; END",
      /INSERT on \w+.*trigger copy .*8 columns/,
    ],
    [
      "a trigger of another table that writes the metadata",
      "CREATE TABLE notes (a); CREATE TRIGGER note AFTER INSERT ON notes BEGIN UPDATE metrics SET metadata = NEW.a; END",
      /INSERT on notes.*trigger note.*metadata/,
    ],
    [
      "a view with names for every column",
      "CREATE VIEW v(a, b, c, d, e, f, g, h) AS SELECT * FROM metrics",
      /the view v .*8 columns/,
    ],
    [
      "a full-text index over the table",
      "CREATE VIRTUAL TABLE words USING fts5(user_id, content='metrics', content_rowid='id')",
      /The virtual table words/,
    ],
    [
      "a full-text index over the level",
      "CREATE VIRTUAL TABLE words USING fts5(empathy_level, content='metrics', content_rowid='id')",
      /The virtual table words/,
    ],
  ] as const;

  test.each([
    ...rotated(OBJECTS, TABLES_WITH_ALL_COLUMNS),
    ...rotated(OBJECTS, TABLES_WITH_ALL_COLUMNS.toReversed()),
    ...rotated(OBJECTS.slice(4), [oldTable(DOCUMENTED_15)]),
  ])("%s", async (_what, sql, named, old) => {
    useLayout(old);
    const folder = freshFolder();
    const path = join(folder, "m.db");
    makeDatabase(path, old.create, spelled(old, sql));
    const before = stampOf(folder);
    for (const command of [planMigration, migrate]) {
      expect(await command(path)).toMatchObject({
        exit_code: 3,
        databases: [{ status: "refused", reason: expect.stringMatching(spelled(old, named.source)) }],
      });
      expect(stampOf(folder)).toBe(before);
    }
  });
});

test("accepts an object that was already broken", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    oldTable(DOCUMENTED_15).create,
    "CREATE TABLE log (a); CREATE TRIGGER wrong AFTER INSERT ON log BEGIN INSERT INTO log SELECT 1, 2; END",
  );
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
});

test("triggers and views that SQLite adapts work afterwards", async () => {
  const path = join(freshFolder(), "m.db");
  copyFileSync(fixture("legacy", "field-a-user-objects.db"), path);
  makeDatabase(
    path,
    "CREATE TABLE seen (level); CREATE TRIGGER see AFTER INSERT ON metrics BEGIN INSERT INTO seen SELECT empathy_level FROM metrics WHERE id = NEW.id; END; CREATE VIEW every AS SELECT * FROM metrics",
  );
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  makeDatabase(path, "INSERT INTO interactions (user_id, level, success) VALUES ('new', 4, 1)");
  expect(query(path, "SELECT level FROM seen")).toEqual([[4n]]);
  expect(query(path, "SELECT level FROM every WHERE user_id = 'new'")).toEqual([[4n]]);
});

test("finds objects that were added after the plan under the lock, and changes nothing", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 3);
  const report = await migrate(path, {
    onProgress: ({ stage }) =>
      stage === "lock"
        ? makeDatabase(path, "CREATE VIEW late(a, b, c, d, e, f, g) AS SELECT * FROM metrics")
        : undefined,
  });
  expect(report).toMatchObject({ exit_code: 3, databases: [{ reason: expect.stringContaining("the view late") }] });
  expect(query(path, "SELECT count(*) FROM metrics")).toEqual([[3n]]);
});
