import { appendFileSync, copyFileSync, linkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { migrationStatus, verifyMigration, VERSION } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { connect, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { schemaErrors } from "../support/report_schema.ts";

function unusualTree(): { folder: string; path: string; states: string } {
  const folder = freshFolder();
  const [path, states] = [join(folder, "m.db"), join(folder, "empathy_state")];
  copyFileSync(fixture("legacy", "field-a-invalid.db"), path);
  layOutStates("field", states);
  return { folder, path, states };
}

test("before a migration: reports data and pending work, and writes nothing", async () => {
  const { folder } = unusualTree();
  const before = stampOf(folder);
  const report = await migrationStatus(folder);
  expect(schemaErrors(report)).toEqual([]);
  expect(report).toMatchObject({
    command: "status",
    exit_code: 0,
    dry_run: true,
    summary: "Found 2 to migrate or archive.",
    databases: [
      { status: "planned", layout: "field-a", tables: [{ table: "metrics", rows: 40 }], history: [], backups: [] },
    ],
    state_directories: [{ status: "planned", archive: null }],
  });
  expect(stampOf(folder)).toBe(before);
});

test("after a migration: reports time, version, former layout and backups", async () => {
  const { folder, path, states } = unusualTree();
  await migrate(folder, { invalidRows: "quarantine" });
  const before = stampOf(folder);
  const report = await migrationStatus(folder);
  expect(schemaErrors(report)).toEqual([]);
  expect(report).toMatchObject({
    exit_code: 0,
    databases: [
      {
        status: "nothing_to_do",
        layout: "documented-16",
        history: [{ number: 1, tool_version: VERSION, layout: "field-a", fence: "tombstone" }],
        backups: [{ path: `${path}.v15.bak`, bytes: expect.any(Number) }],
        steps: [],
        notes: [],
      },
    ],
    state_directories: [{ status: "nothing_to_do", archive: { path: `${states}.v15.sqlar` }, reason: null }],
  });
  expect(report.databases[0]?.tables).toContainEqual({ table: "perdura_quarantine", rows: 11 });
  expect(report.state_directories[0]?.states_ok).toBeGreaterThan(0);
  expect(stampOf(folder)).toBe(before);
});

test("reports assumed levels", async () => {
  const path = join(freshFolder(), "m.db");
  copyFileSync(fixture("legacy", "field-c.db"), path);
  expect(await migrate(path, { missingLevel: 2 })).toMatchObject({ exit_code: 0 });
  const report = await migrationStatus(path);
  expect(schemaErrors(report)).toEqual([]);
  expect(report.databases[0]?.assumed_levels).toMatchObject([{ level: 2, rows: 32, source: "option" }]);
});

test("reports a dropped fence", async () => {
  const { path } = unusualTree();
  await migrate(path, { invalidRows: "quarantine" });
  const database = connect(path);
  database.exec("DROP VIEW metrics");
  database.close();
  expect((await migrationStatus(path)).databases[0]?.notes).toEqual([expect.stringContaining("the view metrics")]);
});

test("reports missing indexes as pending", async () => {
  const { path } = unusualTree();
  await migrate(path, { invalidRows: "quarantine" });
  const database = connect(path);
  database.exec("DROP INDEX idx_interactions_timestamp");
  database.close();
  expect(await migrationStatus(path)).toMatchObject({
    exit_code: 0,
    databases: [{ status: "planned", steps: expect.arrayContaining(["build the index idx_interactions_timestamp"]) }],
  });
});

describe("a state directory", () => {
  test.each([
    ["grew", (states: string) => writeFileSync(join(states, "new.json"), "{}"), "1 new"],
    ["changed", (states: string) => appendFileSync(join(states, "alice.json"), " "), "1 changed"],
    ["lost a file", (states: string) => rmSync(join(states, "alice.json")), "1 removed"],
  ])("that %s since it was archived", async (_what, change, words) => {
    const { folder, states } = unusualTree();
    await migrate(states);
    change(states);
    expect(await migrationStatus(folder)).toMatchObject({
      exit_code: 0,
      state_directories: [{ status: "planned", notes: [expect.stringContaining(words)] }],
    });
  });

  test("that is missing, with its archive", async () => {
    const { folder, states } = unusualTree();
    await migrate(states);
    rmSync(states, { recursive: true });
    expect(await migrationStatus(folder)).toMatchObject({
      state_directories: [{ path: states, status: "nothing_to_do", reason: expect.stringContaining("does not exist") }],
    });
  });
});

test("reports a missing database that has a backup", async () => {
  const { folder, path } = unusualTree();
  await migrate(path, { invalidRows: "quarantine" });
  renameSync(path, join(folder, "elsewhere"));
  expect((await migrationStatus(folder)).databases).toContainEqual(
    expect.objectContaining({ path, status: "left_alone", reason: expect.stringContaining(`${path}.v15.bak`) }),
  );
});

test("exits with 3 for an unreadable database, with 0 for a pending decision", async () => {
  const folder = freshFolder();
  writeFileSync(join(folder, "damaged.db"), "SQLite format 3\0 and no more of it".padEnd(200, "x"));
  expect(await migrationStatus(folder)).toMatchObject({ exit_code: 3, databases: [{ status: "refused" }] });
  const other = join(freshFolder(), "m.db");
  makeDatabase(other, "CREATE TABLE metrics (user_id TEXT, empathy_level INTEGER)");
  expect(await migrationStatus(other)).toMatchObject({ exit_code: 0, databases: [{ status: "refused" }] });
});

test("refuses a database with several hard links, as up does", async () => {
  const { path } = unusualTree();
  linkSync(path, `${path}.too`);
  expect(await migrationStatus(path)).toMatchObject({
    databases: [{ status: "refused", reason: expect.stringContaining("2 hard links") }],
  });
});

test.each([
  ["status", migrationStatus],
  ["verify", verifyMigration],
])("%s can be interrupted while it reads states", async (_name, command) => {
  const { folder, states } = unusualTree();
  await migrate(folder, { invalidRows: "quarantine" });
  const interrupt = new AbortController();
  const report = await command(states, {
    signal: interrupt.signal,
    onProgress: ({ stage }) => void (stage !== "discover" && interrupt.abort()),
  });
  expect(report).toMatchObject({ exit_code: 130, state_directories: [] });
});
