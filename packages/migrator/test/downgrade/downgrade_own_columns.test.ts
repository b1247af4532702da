import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { ALL_TABLES, hasLevels, isMerged, rotated, useLayout } from "../layouts/layout_suite.ts";
import { DOCUMENTED_15_WITH_NOTE, fill, insertion } from "../layouts/old_table.ts";
import { addRows, connect, DOCUMENTED_15, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

test.each([
  ...rotated<[string, string]>([
    ["perdura_quarantine", ""],
    ["perdura_migration", ""],
  ]),
  ...rotated<[string, string]>(
    [["interaction_metadata", ""]],
    ALL_TABLES.filter(({ names }) => names.metadata !== undefined),
  ),
  ...rotated<[string, string]>(
    [["perdura_assumed_levels", ""]],
    ALL_TABLES.filter((old) => !hasLevels(old)),
  ),
  ...rotated<[string, string]>([["perdura_merged_rows", DOCUMENTED_15_WITH_NOTE]], ALL_TABLES.filter(isMerged)),
])("refuses, by name, a column that was added to %s", async (table, second, old) => {
  useLayout(old);
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(
    path,
    second,
    old.create,
    insertion(old, 90, { user_id: "'a'", level: "1", success: "1", response_time_ms: "'slow'", metadata: "'{}'" }),
  );
  fill(path, old, 3);
  await migrate(path, { invalidRows: "quarantine", missingLevel: 3 });
  const database = connect(path);
  database.exec(`ALTER TABLE ${table} ADD COLUMN z; UPDATE ${table} SET z = 'precious'`);
  const before = stampOf(folder);
  for (const dryRun of [true, false])
    expect(await downgradeMigration(path, { dryRun })).toMatchObject({
      exit_code: 3,
      databases: [{ status: "refused", reason: expect.stringMatching(`^The column z of ${table} was added`) }],
    });
  expect(stampOf(folder)).toBe(before);
  expect(query(path, `SELECT DISTINCT z FROM ${table}`)).toEqual([["precious"]]);
  database.exec(`ALTER TABLE ${table} DROP COLUMN z`);
  database.close();
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
});

test("accepts an added column of a former side table that is kept", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    DOCUMENTED_15,
    "CREATE TABLE interaction_metadata (interaction_id INTEGER PRIMARY KEY REFERENCES interactions(id), metadata TEXT NOT NULL)",
  );
  addRows(path, "interactions", 12);
  await migrate(path);
  const database = connect(path);
  database.exec(
    "INSERT INTO interaction_metadata VALUES (1, '{}'); ALTER TABLE interaction_metadata ADD COLUMN z DEFAULT 'precious'",
  );
  database.close();
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
  expect(query(path, "SELECT * FROM interaction_metadata")).toEqual([[1n, "{}", "precious"]]);
});
