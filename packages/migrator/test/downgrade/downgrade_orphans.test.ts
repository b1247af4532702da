import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, connect, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { wholeContent } from "../support/whole_content.ts";

const ORPHAN = "SELECT * FROM interaction_metadata WHERE interaction_id = 6";

/** A reverted database with metadata of a deleted row, because foreign keys were not enforced. */
async function withOrphan(): Promise<{ folder: string; path: string }> {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 12);
  await migrate(path);
  execute(path, "DELETE FROM interactions WHERE id = 6");
  expect(await downgradeMigration(path)).toMatchObject({
    exit_code: 0,
    databases: [
      {
        status: "downgraded",
        notes: expect.arrayContaining([expect.stringMatching(/^the table interaction_metadata is kept: it contains/)]),
      },
    ],
  });
  return { folder, path };
}

function execute(path: string, sql: string): void {
  const database = connect(path);
  database.pragma("foreign_keys = OFF");
  database.exec(sql);
  database.close();
}

test("keeps metadata of a deleted row in repeated migrations and downgrades", async () => {
  const { path } = await withOrphan();
  const orphan = query(path, ORPHAN);
  expect(orphan).toHaveLength(1);
  const before = wholeContent(path);
  for (let round = 0; round < 2; round += 1) {
    expect(await migrate(path)).toMatchObject({
      exit_code: 0,
      databases: [
        {
          status: "migrated",
          notes: expect.arrayContaining([expect.stringContaining("its 1 row of a deleted interaction")]),
          verification: { metadata_rows: 4, differences: [] },
        },
      ],
    });
    expect(query(path, ORPHAN)).toEqual(orphan);
    expect(query(path, "SELECT count(*) FROM interaction_metadata")).toEqual([[4n]]);
    expect(query(path, `SELECT "table" FROM pragma_foreign_key_list('interaction_metadata')`)).toEqual([
      ["interactions"],
    ]);
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    expect(wholeContent(path)).toEqual(before);
  }
});

test("verify finds changed metadata in the reused table", async () => {
  const { path } = await withOrphan();
  await migrate(path);
  execute(path, "UPDATE interaction_metadata SET metadata = 'x' WHERE interaction_id = 6");
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 4, databases: [{ status: "differs" }] });
});

test("quarantined rows do not affect it", async () => {
  const { path } = await withOrphan();
  const orphan = query(path, ORPHAN);
  execute(path, "INSERT INTO metrics (user_id, empathy_level, success, metadata) VALUES ('odd', 9, 1, '{}')");
  expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
  expect(query(path, ORPHAN)).toEqual(orphan);
});

test.each([
  [
    "a row of its id",
    "INSERT INTO metrics (id, user_id, empathy_level, success, metadata) VALUES (6, 'u', 1, 1, '{}')",
    /has metadata for the id 6/,
  ],
  [
    "a row of its id without metadata",
    "INSERT INTO metrics (id, user_id, empathy_level, success) VALUES (6, 'u', 1, 1)",
    /has metadata for the id 6/,
  ],
  [
    "a trigger on it",
    "CREATE TRIGGER mine AFTER INSERT ON interaction_metadata BEGIN DELETE FROM metrics; END",
    /The trigger mine on interaction_metadata/,
  ],
  [
    "a table of other columns",
    "ALTER TABLE interaction_metadata ADD COLUMN z",
    /the table of that name has other columns/,
  ],
  [
    "a table that refers to others",
    "DROP TABLE interaction_metadata; CREATE TABLE people (id INTEGER PRIMARY KEY); CREATE TABLE interaction_metadata (interaction_id INTEGER PRIMARY KEY REFERENCES people(id), metadata TEXT)",
    /the table of that name is different/,
  ],
])("%s prevents reusing it", async (_title, since, reason) => {
  const { folder, path } = await withOrphan();
  execute(path, since);
  const before = stampOf(folder);
  for (const run of [planMigration, migrate])
    expect(await run(path)).toMatchObject({
      exit_code: 3,
      databases: [{ status: "refused", reason: expect.stringMatching(reason) }],
    });
  expect(stampOf(folder)).toBe(before);
});

test("reports rows that are restored without metadata after the side table was dropped", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 12);
  const rows = "SELECT id, user_id, empathy_level, success, NULL FROM metrics ORDER BY id";
  const before = query(path, rows);
  expect(query(path, "SELECT count(metadata) FROM metrics")).not.toEqual([[0n]]);
  await migrate(path);
  execute(path, "DROP TABLE interaction_metadata");
  expect(await downgradeMigration(path)).toMatchObject({
    exit_code: 0,
    databases: [
      { status: "downgraded", notes: [expect.stringMatching(/^4 rows were changed or deleted in version 16;/)] },
    ],
  });
  expect(query(path, rows.replace("NULL", "metadata"))).toEqual(before);
});

test("counts metadata of several deleted rows", async () => {
  const { path } = await withOrphan();
  execute(path, "INSERT INTO interaction_metadata VALUES (99, 'orphan')");
  expect(await planMigration(path)).toMatchObject({
    databases: [{ notes: expect.arrayContaining([expect.stringContaining("its 2 rows of deleted interactions")]) }],
  });
});
