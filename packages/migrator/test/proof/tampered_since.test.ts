import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pruneMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { ALL_TABLES, layoutSuite, rotated, useLayout } from "../layouts/layout_suite.ts";
import { fill, type OldTable, optionsFor, spelled } from "../layouts/old_table.ts";
import { freshFolder } from "../support/folder.ts";
import { connect, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

/** A migrated database with an index, a view and a table of the user, changed afterwards. */
async function changedBy(old: OldTable, sql: string): Promise<string> {
  const path = join(freshFolder(), "metrics.db");
  makeDatabase(path, old.create);
  run(
    path,
    spelled(old, "CREATE INDEX my_index ON metrics(success); CREATE VIEW my_view AS SELECT 1 AS one") +
      "; CREATE TABLE my_table (a); INSERT INTO my_table VALUES (1), (2)",
  );
  fill(path, old, 1);
  expect((await migrate(path, { ...optionsFor(old), saveReport: true })).exit_code).toBe(0);
  run(path, sql);
  return path;
}

function run(path: string, sql: string): void {
  const database = connect(path);
  database.exec(sql);
  database.close();
}

describe("reports changes of a migrated database", () => {
  const CHANGES = [
    ["a missing index of the user", "DROP INDEX my_index", /missing since the migration: the index my_index$/],
    [
      "a missing specified index",
      "DROP INDEX idx_interactions_user",
      /missing.*idx_interactions_user; run up to build/,
    ],
    ["a changed view", "DROP VIEW my_view; CREATE VIEW my_view AS SELECT 2 AS two", /changed since.*view my_view/],
  ] as const;

  test.each(rotated(CHANGES))("%s", async (_what, sql, note, old) => {
    useLayout(old);
    expect(await verifyMigration(await changedBy(old, sql))).toMatchObject({
      exit_code: 0,
      databases: [{ status: "verified", notes: expect.arrayContaining([expect.stringMatching(note)]) }],
    });
  });

  test.each(ALL_TABLES.filter(({ layout }) => layout.programs !== undefined))(
    "a missing fence of $table",
    async (old) => {
      useLayout(old);
      const fence = old.layout.programs?.table;
      expect(await verifyMigration(await changedBy(old, `DROP VIEW ${fence}`))).toMatchObject({
        exit_code: 0,
        databases: [
          {
            notes: expect.arrayContaining([
              `missing since the migration: the view ${fence}, the trigger perdura_fence`,
            ]),
          },
        ],
      });
    },
  );

  test.each(rotated([["DELETE FROM perdura_migration"], ["DROP TABLE perdura_migration"]] as const))(
    "%s makes a downgrade impossible: a difference, and the backup is kept",
    async (sql, old) => {
      useLayout(old);
      const path = await changedBy(old, sql);
      expect(await verifyMigration(path)).toMatchObject({ exit_code: 4, databases: [{ status: "differs" }] });
      expect(await pruneMigration(path, { pruneBackups: true })).toMatchObject({ exit_code: 3 });
      expect(existsSync(`${path}.v15.bak`)).toBe(true);
    },
  );

  test.each(
    rotated([
      ["DELETE FROM my_table WHERE a = 1"],
      ["UPDATE my_table SET a = 7 WHERE a = 1"],
      ["DROP TABLE my_table"],
    ] as const),
  )("%s is not a difference, but the only backup of the rows is kept", async (sql, old) => {
    useLayout(old);
    const path = await changedBy(old, sql);
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
    expect(await pruneMigration(path, { pruneBackups: true })).toMatchObject({
      exit_code: 3,
      databases: [{ reason: expect.stringContaining("my_table") }],
    });
    expect(existsSync(`${path}.v15.bak`)).toBe(true);
  });
});

layoutSuite((old) => {
  test("does not treat the copy of a killed run as backup of a migration", async () => {
    const path = join(freshFolder(), "metrics.db");
    makeDatabase(path, old.create);
    copyFileSync(path, `${path}.v15.bak`);
    expect(await verifyMigration(path)).toMatchObject({
      exit_code: 1,
      databases: [{ status: "not_compared", reason: expect.stringContaining("not migrated") }],
    });
  });
});
