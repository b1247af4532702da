import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import {
  addRows,
  connect,
  DOCUMENTED_15,
  FIELD_A,
  makeDatabase,
  query,
} from "../../../../test/legacy/legacy_database.ts";

/** Adds an entry that this SQLite cannot process, like a program with its own extensions. */
function addForeignIndex(path: string): void {
  const database = connect(path);
  database.unsafeMode(true);
  database.exec("CREATE INDEX by_name ON metrics(user_id); PRAGMA writable_schema = ON");
  database.exec(
    "UPDATE sqlite_schema SET sql = 'CREATE INDEX by_name ON metrics(user_id COLLATE their_own)' WHERE name = 'by_name'",
  );
  database.close();
}

test("names an index that this SQLite cannot update, and needs a decision", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A, "INSERT INTO metrics (user_id, empathy_level, success) VALUES ('a', 1, 1)");
  addForeignIndex(path);
  expect(await migrate(path)).toMatchObject({
    exit_code: 3,
    databases: [{ status: "refused", reason: expect.stringContaining("their_own") }],
  });
});

test("a failure during the migration ends with exit code 1 and changes nothing", async () => {
  const [path, backupDir] = [join(freshFolder(), "m.db"), freshFolder()];
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 20);
  const report = await migrate(path, {
    backupDir,
    onProgress: ({ stage }) => (stage === "backup" ? rmSync(backupDir, { recursive: true }) : undefined),
  });
  expect(report).toMatchObject({ exit_code: 1, databases: [{ status: "failed" }], report_path: null });
  expect(report.databases[0]?.reason).toMatch(/ENOENT.*The database was not changed\.$/);
  expect(query(path, "SELECT count(*) FROM metrics")).toEqual([[20n]]);
});

describe("a taken name that version 16 needs", () => {
  test.each([
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
  ])("is named in the plan and needs a decision: %s", async (_what, sql, words) => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, FIELD_A, sql);
    expect(await migrate(path)).toMatchObject({
      exit_code: 3,
      databases: [{ status: "refused", reason: expect.stringContaining(words) }],
    });
  });
});

test("a damaged database is refused", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, DOCUMENTED_15);
  addRows(path, "interactions", 500);
  const database = connect(path);
  database.unsafeMode(true);
  // The index now refers to the pages of the table.
  database.exec(
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'idx_interactions_user'",
  );
  database.close();
  expect(await migrate(path)).toMatchObject({ exit_code: 3, databases: [{ status: "refused" }] });
});

test("an interruption rolls back and removes the copy: exit code 130", async () => {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 20);
  const interrupt = new AbortController();
  const report = await migrate(path, {
    signal: interrupt.signal,
    onProgress: ({ stage }) => (stage === "verify" ? interrupt.abort() : undefined),
  });
  expect(report).toMatchObject({
    exit_code: 130,
    databases: [{ status: "interrupted", backup: null, verification: null }],
  });
  expect(query(path, "SELECT count(*) FROM metrics")).toEqual([[20n]]);
  expect(readdirSync(folder)).toEqual(["m.db"]);
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 1, databases: [{ status: "not_compared" }] });
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ backup: { reused: false } }] });
});

test("keeps additional columns and a user_version of another program", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A, "ALTER TABLE metrics ADD COLUMN team TEXT; PRAGMA user_version = 7");
  makeDatabase(
    path,
    "INSERT INTO metrics (user_id, empathy_level, success, team) VALUES ('a', 1, 1, 'red'), ('b', 0, 1, 'blue')",
  );
  const report = await migrate(path, { invalidRows: "quarantine" });
  expect(report).toMatchObject({ exit_code: 0, databases: [{ notes: [expect.stringContaining("team")] }] });
  expect(query(path, "SELECT team FROM interactions UNION ALL SELECT team FROM perdura_quarantine")).toEqual([
    ["red"],
    ["blue"],
  ]);
  expect(query(path, "PRAGMA user_version")).toEqual([[7n]]);
});
