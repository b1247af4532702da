import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, connect, DOCUMENTED_15, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { endOf, firstLine, startProgram } from "../support/program.ts";

/** A migrated database, changed afterwards. */
async function after(layout: string, since: string): Promise<{ folder: string; path: string }> {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, layout);
  addRows(path, layout === FIELD_A ? "metrics" : "interactions", 12);
  await migrate(path, { fence: "tombstone" });
  const database = connect(path);
  database.exec(since);
  database.close();
  return { folder, path };
}

test.each([
  ["an added column", DOCUMENTED_15, "ALTER TABLE interactions ADD COLUMN mood", /The column mood .* was added/],
  ["an added column", FIELD_A, "ALTER TABLE interactions ADD COLUMN mood", /The column mood .* was added/],
  [
    "a generated column",
    FIELD_A,
    "ALTER TABLE interactions ADD COLUMN mood AS (level + 1)",
    /The column mood .* was added/,
  ],
  [
    "a renamed column",
    FIELD_A,
    "ALTER TABLE interactions RENAME COLUMN response_time_ms TO took",
    /The column response_time_ms .* was dropped or renamed/,
  ],
  [
    "a table that a pre-16 program created",
    FIELD_A,
    `DROP VIEW metrics; ${FIELD_A}`,
    /A pre-16 program has created a table metrics.* Run up first/,
  ],
  [
    "a table of the user under the old name",
    FIELD_A,
    "DROP VIEW metrics; CREATE TABLE metrics (cpu REAL)",
    /The downgrade needs the name metrics.*Rename or drop that table first; then run down/,
  ],
  [
    "a table of the user that resembles a metrics table",
    FIELD_A,
    "DROP VIEW metrics; CREATE TABLE metrics (id INTEGER PRIMARY KEY, user_id TEXT, empathy_level)",
    /The downgrade needs the name metrics.*Rename or drop that table first; then run down/,
  ],
  [
    "a view of the user under the old name",
    FIELD_A,
    "DROP VIEW metrics; CREATE VIEW metrics AS SELECT 1",
    /The downgrade needs the name metrics.* Rename it first/,
  ],
  ["a missing table", DOCUMENTED_15, "DROP TABLE interactions", /The table interactions .* does not exist/],
  [
    "a virtual table",
    FIELD_A,
    "CREATE VIRTUAL TABLE words USING fts5(user_id, content=interactions)",
    /The virtual table words uses the name interactions/,
  ],
  [
    "a trigger on the fence",
    FIELD_A,
    "CREATE TRIGGER mine INSTEAD OF DELETE ON metrics BEGIN SELECT 1; END",
    /the trigger mine is on it/,
  ],
  [
    "an index on the side table",
    FIELD_A,
    "CREATE INDEX mine ON interaction_metadata(metadata)",
    /drops interaction_metadata, .* the index mine is on it/,
  ],
  [
    "a view on the side table",
    FIELD_A,
    "CREATE VIEW mine AS SELECT metadata FROM interaction_metadata",
    /no longer work: the view mine/,
  ],
])("refuses %s by name, and changes nothing", async (_title, layout, since, reason) => {
  const { folder, path } = await after(layout, since);
  const before = stampOf(folder);
  for (const dryRun of [true, false])
    expect(await downgradeMigration(path, { dryRun })).toMatchObject({
      exit_code: 3,
      databases: [{ status: "refused", reason: expect.stringMatching(reason) }],
    });
  expect(stampOf(folder)).toBe(before);
});

test("refuses a quarantined row that was also corrected until it is deleted", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    DOCUMENTED_15,
    "INSERT INTO interactions (user_id, empathy_level, success) VALUES ('a', 9, 1), ('b', 2, 1)",
  );
  await migrate(path, { invalidRows: "quarantine" });
  const database = connect(path);
  database.exec("INSERT INTO interactions (id, user_id, level, success) VALUES (1, 'a', 5, 1)");
  expect(await downgradeMigration(path)).toMatchObject({
    exit_code: 3,
    databases: [{ reason: expect.stringMatching(/^Cannot restore the row 1 from perdura_quarantine: .* the same id/) }],
  });
  database.exec("DELETE FROM perdura_quarantine");
  database.close();
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
});

test("downgrades no database if one cannot be downgraded", async () => {
  const { folder, path } = await after(FIELD_A, "ALTER TABLE interactions ADD COLUMN mood");
  const other = join(folder, "other.db");
  makeDatabase(other, DOCUMENTED_15);
  await migrate(other);
  expect(await downgradeMigration(folder)).toMatchObject({
    exit_code: 3,
    databases: [
      { path, status: "refused" },
      { path: other, status: "not_started" },
    ],
  });
});

test("does not change a database that another process is writing to: exit code 5", async () => {
  const { folder, path } = await after(FIELD_A, "");
  const holder = startProgram("holder.ts", path, "write");
  await firstLine(holder);
  const before = stampOf(folder);
  expect(await downgradeMigration(path, { busyTimeoutMs: 100 })).toMatchObject({
    exit_code: 5,
    databases: [{ status: "in_use" }],
  });
  expect(stampOf(folder)).toBe(before);
  holder.stdin?.end();
  await endOf(holder);
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
});
