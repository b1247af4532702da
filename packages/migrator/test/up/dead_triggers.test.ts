import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate, type MigrationReport, planMigration, downgradeMigration } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { FIELD_A, FIELD_B, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

const about = ({ databases }: MigrationReport): string[] =>
  (databases[0]?.notes ?? []).filter((note) => note.includes("never fire again"));

const LOG = "CREATE TABLE log (a)";
const trigger = (columns: string, table: string): string =>
  `CREATE TRIGGER mine AFTER UPDATE OF ${columns} ON ${table} BEGIN INSERT INTO log VALUES (1); END`;

test.each([
  ["metadata", 1],
  ['"Metadata"', 1],
  ["metadata, success", 0],
  ["empathy_level", 0],
])("up names a trigger on UPDATE OF %s if it will never fire again", async (columns, notes) => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A, LOG, trigger(columns, "metrics"));
  const plan = about(await planMigration(path));
  expect(plan).toHaveLength(notes);
  const report = await migrate(path);
  expect(report).toMatchObject({ exit_code: 0 });
  expect(about(report)).toEqual(plan);
});

test("down names a trigger on the level that the pre-16 layout does not have", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_B, LOG);
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  makeDatabase(path, trigger("level", "interactions"));
  const report = await downgradeMigration(path);
  expect(report).toMatchObject({ exit_code: 0 });
  expect(about(report)).toEqual([expect.stringContaining("the trigger mine fires only on UPDATE OF level")]);
});
