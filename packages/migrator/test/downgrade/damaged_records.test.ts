import { join } from "node:path";
import { expect, test } from "vitest";
import { migrationStatus, planMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { ALL_TABLES, hasLevels, isMerged, layoutSuite, rotated, useLayout } from "../layouts/layout_suite.ts";
import { fill, type OldTable, optionsFor } from "../layouts/old_table.ts";
import { DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { wholeContent } from "../support/whole_content.ts";

/** A migrated database with a damaged record. */
async function spoilt(old: OldTable, change: string): Promise<{ folder: string; path: string }> {
  useLayout(old);
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, old.create);
  fill(path, old, 5);
  await migrate(path, optionsFor(old));
  makeDatabase(path, change);
  return { folder, path };
}

const CHANGES: [change: string, found: RegExp][] = [
  ["former = '{}'", /in row 1, the column former has an invalid value/],
  ["former = 'garbage'", /in row 1, the column former is not valid JSON/],
  ["former = ''", /the column former is not valid JSON/],
  ["former = 'null'", /the column former has an invalid value/],
  ["result = '[]'", /the column result has an invalid value/],
  ["result = json_set(result, '$.objects[0].type', 'thing')", /the column result has an invalid value/],
  ["former = json_set(former, '$.metrics.columns', 'id')", /the column former has an invalid value/],
  ["former = json_set(former, '$.user_version', 'x')", /the column former has an invalid value/],
  ["result = json_set(result, '$.quarantined', 'x')", /the column result has an invalid value/],
  ["former = json_set(former, '$.sequence', json('[{\"name\": \"a\"}]'))", /the column former has an invalid value/],
  ["fence = 'wall'", /the column fence has an invalid value/],
  ["layout = x'00'", /the column layout has an invalid value/],
];

test.each(rotated(CHANGES))("names a damaged record and changes nothing: %s", async (change, found, old) => {
  const { folder, path } = await spoilt(old, `UPDATE perdura_migration SET ${change}`);
  const before = stampOf(folder);
  const expected = {
    exit_code: 1,
    databases: [
      {
        status: "failed",
        reason: expect.stringMatching(
          new RegExp(
            `^The table perdura_migration, .* is damaged: .*${found.source}.*A downgrade is not possible.*backup from before`,
          ),
        ),
      },
    ],
  };
  for (const dryRun of [true, false]) expect(await downgradeMigration(path, { dryRun })).toMatchObject(expected);
  expect(await migrationStatus(path)).toMatchObject(expected);
  expect(await planMigration(path, optionsFor(old))).toMatchObject(expected);
  expect((await verifyMigration(path)).exit_code).not.toBe(0);
  expect(stampOf(folder)).toBe(before);
});

const REFUSED =
  /^The name (\w+) is needed for .*, but perdura-migrate did not create the (table|view|index) \w+ .* Rename it first\.$/;

test.each([
  ...rotated<[string, string]>([
    ["perdura_migration", "CREATE TABLE perdura_migration (a)"],
    ["perdura_migration", "CREATE TABLE Perdura_Migration (a)"],
    ["perdura_migration", "CREATE VIEW perdura_migration AS SELECT 1 AS number"],
    ["perdura_migration", "CREATE TABLE t (a); CREATE INDEX perdura_migration ON t (a)"],
  ]),
  ...rotated<[string, string]>(
    [["perdura_assumed_levels", "CREATE TABLE perdura_assumed_levels (a)"]],
    ALL_TABLES.filter((old) => !hasLevels(old)),
  ),
  ...rotated<[string, string]>(
    [["perdura_merged_rows", `CREATE TABLE perdura_merged_rows (a); ${DOCUMENTED_15}`]],
    ALL_TABLES.filter(isMerged),
  ),
])("refuses, by name, an object %s of the user: %s", async (name, made, old) => {
  useLayout(old);
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, old.create, made);
  const before = stampOf(folder);
  for (const run of [planMigration, migrate])
    expect(await run(path, { missingLevel: 3 })).toMatchObject({
      exit_code: 3,
      databases: [{ status: "refused", reason: expect.stringMatching(REFUSED) }],
    });
  const { databases } = await planMigration(path, { missingLevel: 3 });
  expect(databases[0]?.reason).toContain(name);
  expect(stampOf(folder)).toBe(before);
});

test.each(rotated([["merged_rows"], ["kept_levels"], ["assumed_levels"]] as const, ALL_TABLES.filter(hasLevels)))(
  "keeps a table perdura_%s of the user if its name is not needed",
  async (name, old) => {
    useLayout(old);
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, old.create, `CREATE TABLE perdura_${name} (a); INSERT INTO perdura_${name} VALUES (1)`);
    fill(path, old, 5);
    const before = wholeContent(path);
    expect(await migrate(path)).toMatchObject({ exit_code: 0 });
    expect(await migrationStatus(path)).toMatchObject({ exit_code: 0, databases: [{ status: "nothing_to_do" }] });
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    expect(wholeContent(path)).toEqual(before);
  },
);

layoutSuite(
  (old) => {
    test("a downgrade refuses, by name, a table of the user for kept levels", async () => {
      const folder = freshFolder();
      const path = join(folder, "m.db");
      makeDatabase(path, old.create);
      fill(path, old, 1);
      await migrate(path, { missingLevel: 3 });
      makeDatabase(path, "CREATE TABLE perdura_kept_levels (a); UPDATE interactions SET level = 5");
      const before = stampOf(folder);
      expect(await downgradeMigration(path)).toMatchObject({
        exit_code: 3,
        databases: [{ reason: expect.stringMatching(REFUSED) }],
      });
      expect(stampOf(folder)).toBe(before);
    });
  },
  (old) => !hasLevels(old),
);
