import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { TABLES_WITH_ALL_COLUMNS, useLayout } from "../layouts/layout_suite.ts";
import { fill, spelled } from "../layouts/old_table.ts";
import { freshFolder } from "../support/folder.ts";
import {
  addRows,
  connect,
  DOCUMENTED_15,
  FIELD_A,
  makeDatabase,
  query,
} from "../../../../test/legacy/legacy_database.ts";
import { wholeContent } from "../support/whole_content.ts";

/** Records like a program of 16: two rows, one of them with metadata. */
function record(path: string): void {
  const database = connect(path);
  database.exec(`
    INSERT INTO interactions (user_id, level, success, response_time_ms, timestamp) VALUES ('new', 4, 1, 0.5, '2026-10-20 12:00:00');
    INSERT INTO interaction_metadata VALUES (last_insert_rowid(), '{"since": 1e400}');
    INSERT INTO interactions (user_id, level, success, response_time_ms, timestamp) VALUES ('new', 5, 0, 9e999, '2026-10-20 12:00:01');`);
  database.close();
}

const SIDE_TABLE =
  "CREATE TABLE IF NOT EXISTS interaction_metadata (interaction_id INTEGER PRIMARY KEY REFERENCES interactions(id) ON DELETE CASCADE, metadata TEXT NOT NULL)";

function made(layout: string, table: "interactions" | "metrics"): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, layout);
  addRows(path, table, 30);
  return path;
}

test.each(TABLES_WITH_ALL_COLUMNS)(
  "$table: keeps rows recorded since, with metadata in its column, also after the next migration",
  async (old) => {
    useLayout(old);
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, old.create);
    fill(path, old, 30);
    await migrate(path);
    record(path);
    const migrated = wholeContent(path);
    expect(await downgradeMigration(path)).toMatchObject({
      exit_code: 0,
      databases: [{ verification: { rows_before: 32, rows_after: 32, rows_added_since: 2, metadata_rows: 11 } }],
    });
    expect(
      query(
        path,
        spelled(old, "SELECT id, empathy_level, success, quote(response_time_ms), metadata FROM metrics WHERE id > 30"),
      ),
    ).toEqual([
      [31n, 4n, 1n, "0.5", '{"since": 1e400}'],
      [32n, 5n, 0n, "9.0e+999", null],
    ]);
    expect(query(path, "SELECT name, seq FROM sqlite_sequence")).toEqual([[old.table, 32n]]);
    expect(await verifyMigration(path)).toMatchObject({
      exit_code: 0,
      databases: [{ status: "verified", verification: { rows_added_since: 2 } }],
    });
    await migrate(path);
    const repeated = wholeContent(path);
    for (const table of ["interactions", "interaction_metadata", "sqlite_sequence"])
      expect(repeated.tables[table]).toEqual(migrated.tables[table]);
  },
);

test("documented layout: keeps rows recorded since, with metadata where pre-16 programs have it", async () => {
  const path = made(DOCUMENTED_15, "interactions");
  await migrate(path);
  const database = connect(path);
  database.exec(SIDE_TABLE);
  database.close();
  record(path);
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT count(*), max(empathy_level) FROM interactions")).toEqual([[32n, 5n]]);
  expect(query(path, "SELECT * FROM interaction_metadata")).toEqual([[31n, '{"since": 1e400}']]);
});

test("drops an empty side table that a program of 16 created", async () => {
  const path = made(DOCUMENTED_15, "interactions");
  const before = wholeContent(path);
  await migrate(path);
  const database = connect(path);
  database.exec(SIDE_TABLE);
  database.close();
  await downgradeMigration(path);
  expect(wholeContent(path)).toEqual(before);
});

test("keeps and counts changes and deletions of version 16; all other rows are unchanged", async () => {
  const path = made(FIELD_A, "metrics");
  await migrate(path);
  const database = connect(path);
  database.exec(
    "UPDATE interactions SET level = 4 WHERE id = 5; DELETE FROM interactions WHERE id IN (3, 30); INSERT INTO interactions (user_id, level, success) VALUES ('x', 1, 1)",
  );
  database.close();
  expect(await downgradeMigration(path)).toMatchObject({
    databases: [
      {
        status: "downgraded",
        notes: [expect.stringMatching(/^3 rows were changed or deleted in version 16; .*m\.db\.v15\.bak$/)],
        verification: { rows_added_since: 1 },
      },
    ],
  });
  expect(query(path, "SELECT id, empathy_level FROM metrics WHERE id IN (3, 5, 30, 31)")).toEqual([
    [5n, 4n],
    [31n, 1n],
  ]);
  expect(query(path, "SELECT seq FROM sqlite_sequence")).toEqual([[31n]]);
});

test("does not reuse ids of rows that were deleted in version 16", async () => {
  const path = made(FIELD_A, "metrics");
  await migrate(path);
  const database = connect(path);
  database.exec(
    "INSERT INTO interactions (user_id, level, success) VALUES ('x', 1, 1); DELETE FROM interactions WHERE id = 31",
  );
  database.close();
  await downgradeMigration(path);
  expect(query(path, "SELECT seq FROM sqlite_sequence")).toEqual([[31n]]);
});
