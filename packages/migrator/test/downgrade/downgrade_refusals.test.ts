import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { ALL_TABLES, isMerged, layoutSuite, rotated, useLayout } from "../layouts/layout_suite.ts";
import { fill, insertion, type OldTable, oldTable, optionsFor } from "../layouts/old_table.ts";
import { METRICS } from "../../src/database/layouts/table_layouts.ts";
import { connect, DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { endOf, firstLine, startProgram } from "../support/program.ts";

/** A migrated database, changed afterwards. */
async function after(old: OldTable, since: string): Promise<{ folder: string; path: string }> {
  useLayout(old);
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, old.create);
  fill(path, old, 12);
  await migrate(path, { ...optionsFor(old), fence: "tombstone" });
  const database = connect(path);
  database.exec(since);
  database.close();
  return { folder, path };
}

/** Changes since, in which the table is called `metrics`. */
type Change = [what: string, since: string, reason: RegExp];

const CHANGES: Change[] = [
  ["an added column", "ALTER TABLE interactions ADD COLUMN mood", /The column mood .* was added/],
  ["a generated column", "ALTER TABLE interactions ADD COLUMN mood AS (level + 1)", /The column mood .* was added/],
  [
    "a renamed column",
    "ALTER TABLE interactions RENAME COLUMN response_time_ms TO lasted",
    /The column response_time_ms .* was dropped or renamed/,
  ],
  ["a missing table", "DROP TABLE interactions", /The table interactions .* does not exist/],
  [
    "a virtual table",
    "CREATE VIRTUAL TABLE words USING fts5(user_id, content=interactions)",
    /The virtual table words uses the name interactions/,
  ],
  [
    "an index on the side table",
    "CREATE INDEX mine ON interaction_metadata(metadata)",
    /drops interaction_metadata, .* the index mine is on it/,
  ],
  [
    "a view on the side table",
    "CREATE VIEW mine AS SELECT metadata FROM interaction_metadata",
    /no longer work: the view mine/,
  ],
];

const OF_THE_FENCE: Change[] = [
  [
    "a table that a pre-16 program created",
    "DROP VIEW metrics; CREATED AGAIN",
    /A pre-16 program has created a table metrics.* Run up first/,
  ],
  [
    "a table of the user under the old name",
    "DROP VIEW metrics; CREATE TABLE metrics (cpu REAL)",
    /The downgrade needs the name metrics.*Rename or drop that table first; then run down/,
  ],
  [
    "a table of the user that resembles a metrics table",
    "DROP VIEW metrics; CREATE TABLE metrics (id INTEGER PRIMARY KEY, user_id TEXT, empathy_level)",
    /The downgrade needs the name metrics.*Rename or drop that table first; then run down/,
  ],
  [
    "a view of the user under the old name",
    "DROP VIEW metrics; CREATE VIEW metrics AS SELECT 1",
    /The downgrade needs the name metrics.* Rename it first/,
  ],
  [
    "a trigger on the fence",
    "CREATE TRIGGER mine INSTEAD OF DELETE ON metrics BEGIN SELECT 1; END",
    /the trigger mine is on it/,
  ],
];

test.each([...rotated(CHANGES), ...rotated(OF_THE_FENCE, ALL_TABLES.filter(isMerged))])(
  "refuses %s by name, and changes nothing",
  async (_title, since, reason, old) => {
    const statements = since.replace("CREATED AGAIN", old.create).replaceAll(/\bmetrics\b/g, old.table);
    const { folder, path } = await after(old, statements);
    const before = stampOf(folder);
    for (const dryRun of [true, false])
      expect(await downgradeMigration(path, { dryRun })).toMatchObject({
        exit_code: 3,
        databases: [
          { status: "refused", reason: expect.stringMatching(reason.source.replace(/\bmetrics\b/, old.table)) },
        ],
      });
    expect(stampOf(folder)).toBe(before);
  },
);

layoutSuite((old) => {
  test("refuses a quarantined row that was also corrected until it is deleted", async () => {
    const path = join(freshFolder(), "m.db");
    const row = { level: "2", success: "1" };
    makeDatabase(
      path,
      old.create,
      insertion(old, 1, { user_id: "'a'", ...row, response_time_ms: "'slow'" }),
      insertion(old, 2, { user_id: "'b'", ...row }),
    );
    await migrate(path, { ...optionsFor(old), invalidRows: "quarantine" });
    const database = connect(path);
    database.exec("INSERT INTO interactions (id, user_id, level, success) VALUES (1, 'a', 5, 1)");
    expect(await downgradeMigration(path)).toMatchObject({
      exit_code: 3,
      databases: [
        { reason: expect.stringMatching(/^Cannot restore the row 1 from perdura_quarantine: .* the same id/) },
      ],
    });
    database.exec("DELETE FROM perdura_quarantine");
    database.close();
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  });
});

test("downgrades no database if one cannot be downgraded", async () => {
  const { folder, path } = await after(oldTable(METRICS), "ALTER TABLE interactions ADD COLUMN mood");
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
  const { folder, path } = await after(oldTable(METRICS), "");
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
