import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import {
  addRows,
  connect,
  DOCUMENTED_15,
  FIELD_A,
  FIELD_B,
  makeDatabase,
  query,
} from "../../../../test/legacy/legacy_database.ts";

const INVALID = "INSERT INTO metrics (user_id, empathy_level, success, metadata) VALUES ('odd', 9, 1, '{}')";
const SECOND = `${FIELD_A} INSERT INTO metrics (user_id, empathy_level, success, metadata) VALUES ('a', 2, 1, '{}')`;

test.each([
  ["interaction_metadata", [FIELD_A, INVALID]],
  ["perdura_quarantine", [FIELD_A, INVALID]],
  ["perdura_migration", [FIELD_A, INVALID]],
  ["perdura_assumed_levels", [FIELD_B, "INSERT INTO metrics (user_id, success) VALUES ('a', 1)"]],
  ["perdura_merged_rows", [DOCUMENTED_15, SECOND]],
])("refuses, by name, a column that was added to %s", async (table, statements) => {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, ...statements);
  if (table === "interaction_metadata") addRows(path, "metrics", 12);
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
