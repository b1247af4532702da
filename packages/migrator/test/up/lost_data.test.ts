import { copyFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, connect, FIELD_A, FIELD_PATTERNS, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { runProgram } from "../support/run_program.ts";

const PATTERNS = `${FIELD_PATTERNS}; INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES ('a', 'x', 't', 'n'), ('b', 'x', 't', 'n')`;

/** A migrated database of metrics and patterns, and its backup. */
async function migrated(...schema: string[]): Promise<{ folder: string; path: string; backup: string }> {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, FIELD_A, ...schema);
  addRows(path, "metrics", 20);
  expect(await migrate(folder)).toMatchObject({ exit_code: 0 });
  return { folder, path, backup: `${path}.v15.bak` };
}

function run(path: string, sql: string): void {
  const database = connect(path);
  database.exec(sql);
  database.close();
}

describe("an invalid backup", () => {
  test.each([
    ["empty", (backup: string) => writeFileSync(backup, "")],
    ["a database of another program", (backup: string) => (rmSync(backup), makeDatabase(backup, "CREATE TABLE t (x)"))],
    ["not a database", (backup: string) => writeFileSync(backup, "no database at all".repeat(300))],
    ["a pattern library", (backup: string) => (rmSync(backup), makeDatabase(backup, PATTERNS))],
  ])("is not accepted: %s", async (_what, spoil) => {
    const { folder, path, backup } = await migrated();
    spoil(backup);
    for (const target of [folder, path]) {
      const report = await verifyMigration(target);
      expect(report).toMatchObject({ exit_code: 4, databases: [{ path, status: "differs" }] });
      expect(report.databases[0]?.reason).toMatch(/has no metrics table|Cannot read/);
    }
  });
});

test("reports a missing database as one of several targets, known only from its report", async () => {
  const paths: string[] = [];
  for (const name of ["gone", "there"]) {
    const path = join(freshFolder(), `${name}.db`);
    makeDatabase(path, FIELD_A);
    addRows(path, "metrics", 5);
    expect(await migrate(dirname(path), { backupDir: freshFolder() })).toMatchObject({ exit_code: 0 });
    paths.push(path);
  }
  const [gone, there] = paths as [string, string];
  rmSync(gone);
  const { exit_code, databases } = await verifyMigration([dirname(there), dirname(gone)]);
  expect(exit_code).toBe(4);
  expect(databases.map(({ path, status }) => [path, status])).toEqual([
    [there, "verified"],
    [gone, "differs"],
  ]);
});

describe("reports a lost database with an existing backup if it", () => {
  test.each([
    ["is empty", (path: string) => writeFileSync(path, "")],
    ["holds random bytes", (path: string) => writeFileSync(path, "random bytes ".repeat(1000))],
    ["is gone", (path: string) => rmSync(path)],
    ["has another name", (path: string) => renameSync(path, `${path}.old`)],
    ["has no interactions any more", (path: string) => run(path, "DROP TABLE interactions")],
    ["was replaced by the backup", (path: string) => copyFileSync(`${path}.v15.bak`, path)],
  ])("%s", async (_what, spoil) => {
    const { folder, path } = await migrated();
    spoil(path);
    const report = await verifyMigration(folder);
    expect(report.exit_code).toBe(4);
    expect(report.databases.find((database) => database.path === path)).toMatchObject({
      status: "differs",
      reason: expect.stringContaining("m.db.v15.bak"),
    });
    expect(report.left_alone.map((item) => item.path)).not.toContain(path);
  });

  test("has lost its interactions but not its pattern library", async () => {
    const { folder, path } = await migrated(PATTERNS);
    run(path, "DROP VIEW metrics; DROP TABLE interactions");
    expect(await verifyMigration(folder)).toMatchObject({ exit_code: 4, databases: [{ status: "differs" }] });
  });

  test("is damaged inside", async () => {
    const { path, backup } = await migrated();
    for (const [damaged, whole] of [
      [path, backup],
      [backup, path],
    ] as const) {
      const copy = `${damaged}.copy`;
      copyFileSync(damaged, copy);
      const database = connect(damaged);
      database.unsafeMode(true);
      database.exec(
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 9999 WHERE name = 'sqlite_sequence'",
      );
      database.exec("UPDATE sqlite_schema SET rootpage = 9998 WHERE name IN ('metrics', 'interactions')");
      database.close();
      expect(await verifyMigration(path), whole).toMatchObject({ exit_code: 4, databases: [{ status: "differs" }] });
      renameSync(copy, damaged);
    }
  });
});

test("a second run does not hide a damaged result", async () => {
  const { folder, path } = await migrated();
  run(path, "DELETE FROM interactions WHERE id = 7; DROP INDEX idx_interactions_user");
  expect(await migrate(folder)).toMatchObject({ databases: [{ backup: { path: `${path}.v15.2.bak` } }] });
  expect(await verifyMigration(folder)).toMatchObject({
    exit_code: 4,
    databases: [{ status: "differs", backup: { path: `${path}.v15.bak` } }],
  });
});

test("accepts a backup in the layout of 16 if only indexes were built", async () => {
  const { folder, path, backup } = await migrated(PATTERNS);
  rmSync(backup);
  run(path, "DROP INDEX idx_interactions_user");
  expect(await migrate(folder)).toMatchObject({ databases: [{ status: "migrated" }] });
  expect(await verifyMigration(folder)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
});

test("reports changed rows of other tables instead of equality", async () => {
  const { path } = await migrated(PATTERNS);
  expect(await runProgram("verify", path)).toMatchObject({ code: 0, stdout: expect.stringContaining("all values") });
  run(path, "DELETE FROM patterns");
  const { code, stdout } = await runProgram("verify", path);
  expect(code).toBe(0);
  expect(stdout).toContain("patterns: 2 rows (2 changed or deleted since)");
  expect(stdout).not.toMatch(/all values/);
  run(path, "DROP TABLE pattern_usage; DROP TABLE patterns");
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 4, databases: [{ status: "differs" }] });
});
