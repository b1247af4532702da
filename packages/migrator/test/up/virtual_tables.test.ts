import { join } from "node:path";
import { expect, test } from "vitest";
import { migrationStatus, planMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { layoutSuite, rotated, useLayout } from "../layouts/layout_suite.ts";
import { fill, optionsFor } from "../layouts/old_table.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { connect, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

const ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";

/** Adds a virtual table that reads its rows from an endless view. */
function addEndless(path: string, name: string, columns: readonly string[]): void {
  const database = connect(path);
  database.unsafeMode(true);
  database.exec(`
    CREATE TABLE plain_rows (${columns.join(", ")});
    CREATE VIEW endless_rows AS ${ENDLESS} SELECT ${[...columns, "rowid"].map((column) => `x AS ${column}`).join(", ")} FROM n;
    CREATE VIRTUAL TABLE ${name} USING fts4(${columns.join(", ")}, content="plain_rows");
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, 'plain_rows', 'endless_rows') WHERE name = '${name}'`);
  database.close();
}

layoutSuite((old) => {
  test("never queries a virtual table over an endless view in a migration or downgrade", async () => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, old.create);
    fill(path, old, 12);
    addEndless(path, "words", ["text"]);
    expect(await planMigration(path, optionsFor(old))).toMatchObject({ exit_code: 0 });
    expect(await migrate(path, optionsFor(old))).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
    expect(await migrationStatus(path)).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  });
});

const NAMES = [
  ["perdura_migration", ["number", "migrated_at", "tool_version", "layout", "fence", "former", "result"]],
  ["perdura_quarantine", ["perdura_source", "id", "user_id"]],
  ["patterns", ["id", "agent_id", "pattern_type", "name"]],
  ["perdura_kept_levels", ["id", "level"]],
] as const;

test.each(rotated(NAMES))("nor is one that is called %s", async (name, columns, old) => {
  useLayout(old);
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, old.create);
  fill(path, old, 3);
  addEndless(path, name, columns);
  const before = stampOf(folder);
  await migrationStatus(path);
  await planMigration(path, optionsFor(old));
  expect(stampOf(folder)).toBe(before);
  const { databases } = await migrate(path, optionsFor(old));
  if (databases[0]?.status !== "migrated") expect(stampOf(folder).replace(/\nm\.db\.v15\.bak .*/, "")).toBe(before);
});
