import { join } from "node:path";
import { expect, test } from "vitest";
import { type MigrationReport, planMigration, downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { rotated, TABLES_WITH_ALL_COLUMNS, useLayout } from "../layouts/layout_suite.ts";
import { spelled } from "../layouts/old_table.ts";
import { freshFolder } from "../support/folder.ts";
import { FIELD_B, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

const about = ({ databases }: MigrationReport): string[] =>
  (databases[0]?.notes ?? []).filter((note) => note.includes("never fire again"));

const LOG = "CREATE TABLE log (a)";
const trigger = (columns: string, table: string): string =>
  `CREATE TRIGGER mine AFTER UPDATE OF ${columns} ON ${table} BEGIN INSERT INTO log VALUES (1); END`;

const UPDATED = [
  ["metadata", 1],
  ['"metadata"', 1],
  ["metadata, success", 0],
  ["empathy_level", 0],
] as const;

test.each(rotated([...UPDATED, ...UPDATED.toReversed()], TABLES_WITH_ALL_COLUMNS))(
  "up names a trigger on UPDATE OF %s if it will never fire again",
  async (columns, notes, old) => {
    useLayout(old);
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, old.create, LOG, spelled(old, trigger(columns, "metrics")).replace('"m', '"M'));
    const plan = about(await planMigration(path));
    expect(plan).toHaveLength(notes);
    const report = await migrate(path);
    expect(report).toMatchObject({ exit_code: 0 });
    expect(about(report)).toEqual(plan);
  },
);

test("down names a trigger on the level that the pre-16 layout does not have", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_B, LOG);
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  makeDatabase(path, trigger("level", "interactions"));
  const report = await downgradeMigration(path);
  expect(report).toMatchObject({ exit_code: 0 });
  expect(about(report)).toEqual([expect.stringContaining("the trigger mine fires only on UPDATE OF level")]);
});
