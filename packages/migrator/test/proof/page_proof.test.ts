import { spawnSync } from "node:child_process";
import { copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import type { MigrationOptions } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

function documented(rows: number, ...statements: string[]): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, ...statements, DOCUMENTED_15);
  addRows(path, "interactions", rows);
  return path;
}

/** Changes one byte of a file from another process, without any lock. */
function changeByte(path: string, position: number): void {
  const program = `const fs = require("fs"), d = fs.openSync(${JSON.stringify(path)}, "r+"), b = Buffer.alloc(1);
    fs.readSync(d, b, 0, 1, ${position}); b[0] ^= 1; fs.writeSync(d, b, 0, 1, ${position})`;
  expect(spawnSync(process.execPath, ["-e", program]).status).toBe(0);
}

const atVerify = (act: () => void): MigrationOptions => ({
  onProgress: ({ stage, done }) => (stage === "verify" && done === null ? act() : undefined),
});

test("compares pages if only the schema changes", async () => {
  const path = documented(2000);
  expect(await migrate(path)).toMatchObject({
    databases: [
      {
        status: "migrated",
        verification: { method: "pages", rows_before: 2000, rows_after: 2000, differences: [] },
      },
    ],
  });
  expect(query(path, "SELECT count(*), sum(level) FROM interactions")).toEqual([[2000n, 6000n]]);
});

test("ignores formerly free pages", async () => {
  const path = documented(2000, "CREATE TABLE gone (x)", "INSERT INTO gone VALUES (zeroblob(50000))");
  makeDatabase(path, "DROP TABLE gone", "CREATE TABLE more (x)", "INSERT INTO more VALUES (1)");
  expect(query(path, "PRAGMA freelist_count")[0]).not.toEqual([0n]);
  expect(await migrate(path)).toMatchObject({
    databases: [{ verification: { method: "pages", other_tables: [{ table: "more", rows: 1 }] } }],
  });
});

test("builds a missing index on new pages", async () => {
  const path = documented(20_000);
  makeDatabase(path, "DROP INDEX idx_interactions_user");
  expect(await migrate(path)).toMatchObject({ databases: [{ verification: { method: "pages" } }] });
});

describe("rows are compared", () => {
  test.each([
    ["of a field layout", FIELD_A, {}],
    ["with a write-ahead log", `PRAGMA journal_mode = WAL; ${DOCUMENTED_15}`, {}],
    ["with pages that move at a commit", `PRAGMA auto_vacuum = FULL; ${DOCUMENTED_15}`, {}],
    [
      "with quarantined rows",
      `${DOCUMENTED_15} INSERT INTO interactions VALUES (9, 'a', 7, 1, 1, '')`,
      { invalidRows: "quarantine" },
    ],
    ["where a value is computed", `${DOCUMENTED_15} CREATE TABLE t (a, b AS (a + 1)); INSERT INTO t VALUES (1)`, {}],
  ] as const)("%s", async (_what, schema, options) => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, schema);
    expect(await migrate(path, options)).toMatchObject({
      exit_code: 0,
      databases: [{ verification: { method: "rows" } }],
    });
  });
});

test("the proof fails if any byte of the copy differs", async () => {
  // Also the first page, which the change itself writes: the journal has its original content.
  for (const part of [0.0005, 0.15, 0.4, 0.7, 0.99]) {
    const path = documented(5000);
    const backup = `${path}.v15.bak`;
    const report = await migrate(
      path,
      atVerify(() => changeByte(backup, Math.floor(statSync(backup).size * part))),
    );
    expect(report).toMatchObject({ exit_code: 1, databases: [{ status: "failed" }] });
    expect(report.databases[0]?.reason).toMatch(/The proof failed: page \d+ .*The database was not changed\.$/);
    expect(query(path, "SELECT count(empathy_level) FROM interactions")).toEqual([[5000n]]);
  }
});

test("the proof fails if a byte of the database is written without a lock", async () => {
  const path = documented(5000);
  const report = await migrate(
    path,
    atVerify(() => changeByte(path, Math.floor(statSync(path).size / 2))),
  );
  expect(report).toMatchObject({ exit_code: 1, databases: [{ status: "failed" }] });
});

test("the proof fails if another file replaces the copy", async () => {
  const path = documented(100);
  const report = await migrate(
    path,
    atVerify(() => copyFileSync(fixture("legacy", "documented-15-invalid.db"), `${path}.v15.bak`)),
  );
  expect(report).toMatchObject({ exit_code: 1, databases: [{ status: "failed" }] });
});
