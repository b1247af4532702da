import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { migrate, pruneMigration, verifyMigration } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { connect, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

/** A migrated database with an index, a view and a table of the user, changed afterwards. */
async function changedBy(sql: string): Promise<string> {
  const path = join(freshFolder(), "metrics.db");
  makeDatabase(path, FIELD_A);
  run(
    path,
    `CREATE INDEX my_index ON metrics(success); CREATE VIEW my_view AS SELECT 1 AS one;
    CREATE TABLE my_table (a); INSERT INTO my_table VALUES (1), (2);
    INSERT INTO metrics (user_id, empathy_level, success) VALUES ('u', 1, 1)`,
  );
  expect((await migrate(path)).exit_code).toBe(0);
  run(path, sql);
  return path;
}

function run(path: string, sql: string): void {
  const database = connect(path);
  database.exec(sql);
  database.close();
}

describe("reports changes of a migrated database", () => {
  test.each([
    ["a missing index of the user", "DROP INDEX my_index", /missing since the migration: the index my_index$/],
    [
      "a missing specified index",
      "DROP INDEX idx_interactions_user",
      /missing.*idx_interactions_user; run up to build/,
    ],
    ["a changed view", "DROP VIEW my_view; CREATE VIEW my_view AS SELECT 2 AS two", /changed since.*view my_view/],
    ["a missing fence", "DROP VIEW metrics", /missing since the migration: the view metrics/],
  ])("%s", async (_what, sql, note) => {
    expect(await verifyMigration(await changedBy(sql))).toMatchObject({
      exit_code: 0,
      databases: [{ status: "verified", notes: expect.arrayContaining([expect.stringMatching(note)]) }],
    });
  });

  test.each(["DELETE FROM perdura_migration", "DROP TABLE perdura_migration"])(
    "%s makes a downgrade impossible: a difference, and the backup is kept",
    async (sql) => {
      const path = await changedBy(sql);
      expect(await verifyMigration(path)).toMatchObject({ exit_code: 4, databases: [{ status: "differs" }] });
      expect(await pruneMigration(path, { pruneBackups: true })).toMatchObject({ exit_code: 3 });
      expect(existsSync(`${path}.v15.bak`)).toBe(true);
    },
  );

  test.each(["DELETE FROM my_table WHERE a = 1", "UPDATE my_table SET a = 7 WHERE a = 1", "DROP TABLE my_table"])(
    "%s is not a difference, but the only backup of the rows is kept",
    async (sql) => {
      const path = await changedBy(sql);
      expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
      expect(await pruneMigration(path, { pruneBackups: true })).toMatchObject({
        exit_code: 3,
        databases: [{ reason: expect.stringContaining("my_table") }],
      });
      expect(existsSync(`${path}.v15.bak`)).toBe(true);
    },
  );
});

test("does not treat the copy of a killed run as backup of a migration", async () => {
  const path = join(freshFolder(), "metrics.db");
  makeDatabase(path, FIELD_A);
  copyFileSync(path, `${path}.v15.bak`);
  expect(await verifyMigration(path)).toMatchObject({
    exit_code: 1,
    databases: [{ status: "not_compared", reason: expect.stringContaining("not migrated") }],
  });
});
