import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ProgressEvent, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { layoutSuite, rotated, useLayout } from "../layouts/layout_suite.ts";
import { fill, insertion, type OldTable, optionsFor, spelled } from "../layouts/old_table.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, connect, DOCUMENTED_15, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

/** A downgraded database, after changes in version 16. */
async function downgraded(layout: string, table: "interactions" | "metrics", in16 = ""): Promise<string> {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, layout);
  addRows(path, table, 20);
  await migrate(path);
  execute(path, in16);
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  return path;
}

/** A downgraded database of a layout. */
async function downgradedOf(old: OldTable): Promise<string> {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, old.create);
  fill(path, old, 20);
  await migrate(path, { ...optionsFor(old), saveReport: true });
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  return path;
}

function execute(path: string, sql: string): void {
  const database = connect(path);
  database.exec(sql);
  database.close();
}

layoutSuite((old) =>
  test("equals both backups, and counts rows of a pre-16 program", async () => {
    const path = await downgradedOf(old);
    expect(await verifyMigration(path)).toMatchObject({
      exit_code: 0,
      databases: [{ status: "verified", backup: { path: `${path}.v16.bak` }, verification: { rows_added_since: 0 } }],
    });
    execute(path, insertion(old, 21, { user_id: "'late'", level: "3", success: "1", response_time_ms: "1" }));
    const before = stampOf(join(path, ".."));
    const report = await verifyMigration(path);
    expect(report).toMatchObject({
      exit_code: 0,
      databases: [
        {
          status: "verified",
          notes: [`all rows from before the migration are unchanged, compared with ${path}.v15.bak`],
          verification: { rows_added_since: 1, differences: [] },
        },
      ],
    });
    expect(stampOf(join(path, ".."))).toBe(before);
  }),
);

test("reports a row of version 16 that was deleted since", async () => {
  const path = await downgraded(
    FIELD_A,
    "metrics",
    "INSERT INTO interactions (user_id, level, success) VALUES ('x', 1, 1)",
  );
  execute(path, "DELETE FROM metrics WHERE user_id = 'x'");
  expect(await verifyMigration(path)).toMatchObject({
    exit_code: 4,
    databases: [{ status: "differs", verification: { differences: ["1 row of metrics differs from interactions"] } }],
  });
});

test.each(
  rotated([
    ["DELETE FROM metrics WHERE id = 1"],
    ["UPDATE metrics SET user_id = 'x' WHERE id = 7"],
    ["UPDATE metrics SET response_time_ms = 77 WHERE id = 7"],
    ["UPDATE metrics SET empathy_level = 2 WHERE id = 7"],
    ["UPDATE metrics SET metadata = 'x' WHERE id = 6"],
  ] as const),
)("reports damage since: %s", async (damage, old) => {
  useLayout(old);
  const path = await downgradedOf(old);
  execute(path, spelled(old, damage));
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 4, databases: [{ status: "differs" }] });
});

test("names a missing table, with the backup of its rows", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, DOCUMENTED_15, FIELD_A);
  for (const table of ["interactions", "metrics"] as const) addRows(path, table, 5);
  await migrate(path);
  await downgradeMigration(path);
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  execute(path, "DROP TABLE metrics");
  const reason = `The table metrics is missing or has other columns. The backup ${path}.v16.bak contains its rows.`;
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 4, databases: [{ status: "differs", reason }] });
});

test("does not report changes of version 16 as differences", async () => {
  const path = await downgraded(
    FIELD_A,
    "metrics",
    "UPDATE interactions SET level = 1 WHERE id = 3; DELETE FROM interactions WHERE id = 9",
  );
  expect(await verifyMigration(path)).toMatchObject({
    exit_code: 0,
    databases: [
      { status: "verified", notes: [expect.stringContaining("2 rows were changed or deleted in version 16")] },
    ],
  });
});

test("needs only the backup of version 16", async () => {
  const path = await downgraded(FIELD_A, "metrics");
  rmSync(`${path}.v15.bak`);
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified", notes: [] }] });
});

test("does not treat a manually restored backup as a downgraded database", async () => {
  const path = await downgraded(FIELD_A, "metrics");
  execute(path, "INSERT INTO metrics (user_id, empathy_level, success) VALUES ('late', 3, 1)");
  await migrate(path);
  copyFileSync(`${path}.v15.bak`, path);
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 4, databases: [{ status: "differs" }] });
});

test("reports a downgraded database that is missing", async () => {
  const path = await downgraded(FIELD_A, "metrics");
  rmSync(`${path}.v15.bak`);
  rmSync(path);
  expect(await verifyMigration(join(path, ".."))).toMatchObject({
    exit_code: 4,
    databases: [{ path, status: "differs", reason: expect.stringContaining("is missing") }],
  });
});

test("compares a database that was migrated again as after any migration", async () => {
  const path = await downgraded(FIELD_A, "metrics");
  await migrate(path);
  expect(await verifyMigration(path)).toMatchObject({
    exit_code: 0,
    databases: [{ status: "verified", backup: { path: `${path}.v15.2.bak` } }],
  });
});

test("a long comparison reports progress", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, DOCUMENTED_15);
  execute(
    path,
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000001)
     INSERT INTO interactions (user_id, empathy_level, success) SELECT 'u', 1, 1 FROM numbers`,
  );
  for (const command of [migrate, downgradeMigration]) expect(await command(path)).toMatchObject({ exit_code: 0 });
  const events: ProgressEvent[] = [];
  expect(await verifyMigration(path, { onProgress: (event) => void events.push(event) })).toMatchObject({
    exit_code: 0,
  });
  const reported = events.filter(({ done }) => done !== null);
  expect(reported.length).toBeGreaterThan(0);
  for (const event of reported)
    expect(event).toMatchObject({
      path,
      stage: "compare",
      detail: "comparing every row with the backups",
      total: 1_000_001,
      unit: "rows",
    });
});
