import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { ALL_TABLES, layoutSuite, rotated, useLayout } from "../layouts/layout_suite.ts";
import { fill, insertion, optionsFor, spelled } from "../layouts/old_table.ts";
import { freshFolder } from "../support/folder.ts";
import { connect, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

layoutSuite((old) => {
  const { table, names } = old;
  const options = optionsFor(old);
  const count = `SELECT count(*) FROM ${table}`;

  test("names an index that this SQLite cannot update, and needs a decision", async () => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, old.create);
    fill(path, old, 1);
    // A program with its own extensions made it.
    const database = connect(path);
    database.unsafeMode(true);
    database.exec(`CREATE INDEX by_name ON ${table}(${names.user_id}); PRAGMA writable_schema = ON`);
    database.exec(
      `UPDATE sqlite_schema SET sql = 'CREATE INDEX by_name ON ${table}(${names.user_id} COLLATE their_own)' WHERE name = 'by_name'`,
    );
    database.close();
    expect(await migrate(path, options)).toMatchObject({
      exit_code: 3,
      databases: [{ status: "refused", reason: expect.stringContaining("their_own") }],
    });
  });

  test("a failure during the migration ends with exit code 1 and changes nothing", async () => {
    const [path, backupDir] = [join(freshFolder(), "m.db"), freshFolder()];
    makeDatabase(path, old.create);
    fill(path, old, 20);
    const report = await migrate(path, {
      ...options,
      saveReport: true,
      backupDir,
      onProgress: ({ stage }) => (stage === "backup" ? rmSync(backupDir, { recursive: true }) : undefined),
    });
    expect(report).toMatchObject({ exit_code: 1, databases: [{ status: "failed" }], report_path: null });
    expect(report.databases[0]?.reason).toMatch(/ENOENT.*The database was not changed\.$/);
    expect(query(path, count)).toEqual([[20n]]);
  });

  test("a damaged database is refused", async () => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, old.create, `CREATE INDEX damaged ON ${table}(${names.user_id})`);
    fill(path, old, 500);
    const database = connect(path);
    database.unsafeMode(true);
    // The index now refers to the pages of the table.
    database.exec("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'damaged'");
    database.close();
    expect(await migrate(path, options)).toMatchObject({ exit_code: 3, databases: [{ status: "refused" }] });
  });

  test("an interruption rolls back and removes the copy: exit code 130", async () => {
    const folder = freshFolder();
    const path = join(folder, "m.db");
    makeDatabase(path, old.create);
    fill(path, old, 20);
    const interrupt = new AbortController();
    const report = await migrate(path, {
      ...options,
      signal: interrupt.signal,
      onProgress: ({ stage }) => (stage === "verify" ? interrupt.abort() : undefined),
    });
    expect(report).toMatchObject({
      exit_code: 130,
      databases: [{ status: "interrupted", backup: null, verification: null }],
    });
    expect(query(path, count)).toEqual([[20n]]);
    expect(readdirSync(folder)).toEqual(["m.db"]);
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 1, databases: [{ status: "not_compared" }] });
    expect(await migrate(path, options)).toMatchObject({ exit_code: 0, databases: [{ backup: { reused: false } }] });
  });

  test("keeps additional columns and a user_version of another program", async () => {
    const path = join(freshFolder(), "m.db");
    const row = { level: "1", success: "1", timestamp: "'2025-10-20 12:00:00'" };
    makeDatabase(
      path,
      old.create,
      `ALTER TABLE ${table} ADD COLUMN team TEXT DEFAULT 'red'; PRAGMA user_version = 7`,
      insertion(old, 1, { user_id: "'a'", ...row }),
      insertion(old, 2, { user_id: "'b'", ...row, response_time_ms: "'slow'" }),
    );
    const report = await migrate(path, { ...options, invalidRows: "quarantine" });
    expect(report).toMatchObject({ exit_code: 0 });
    expect(report.databases[0]?.notes).toContainEqual(expect.stringContaining("team"));
    expect(
      query(path, "SELECT team, my_note FROM interactions UNION ALL SELECT team, my_note FROM perdura_quarantine"),
    ).toEqual([
      ["red", "note 1"],
      ["red", "note 2"],
    ]);
    expect(query(path, "PRAGMA user_version")).toEqual([[7n]]);
  });
});

describe("a taken name that version 16 needs", () => {
  const CASES = [
    ["a view interactions", "CREATE VIEW interactions AS SELECT 1", "The name interactions is needed"],
    [
      "a table interaction_metadata",
      "CREATE TABLE interaction_metadata (x)",
      "The name interaction_metadata is needed",
    ],
    [
      "an index of another table",
      "CREATE TABLE t (x); CREATE INDEX idx_interactions_user ON t(x)",
      "idx_interactions_user",
    ],
    ["a view that reads the metadata", "CREATE VIEW v AS SELECT metadata FROM metrics", "view v"],
  ] as const;
  const renamed = ALL_TABLES.filter(({ table }) => table !== "interactions");

  test.each(rotated(CASES, renamed))(
    "is named in the plan and needs a decision: %s",
    async (_what, sql, words, old) => {
      useLayout(old);
      const path = join(freshFolder(), "m.db");
      makeDatabase(path, old.create, spelled(old, sql));
      expect(await migrate(path, optionsFor(old))).toMatchObject({
        exit_code: 3,
        databases: [{ status: "refused", reason: expect.stringContaining(words) }],
      });
    },
  );
});
