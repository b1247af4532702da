import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pruneMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, connect, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { makeUnusualStates } from "../../../../test/legacy/unusual_states.ts";
import { schemaErrors } from "../support/report_schema.ts";
import { treeStamp } from "../../../../test/tree_stamp.ts";

/** A folder with an archived state directory. */
async function archived(): Promise<{ folder: string; directory: string }> {
  const folder = freshFolder();
  const directory = join(folder, "empathy_state");
  makeUnusualStates(directory);
  expect((await migrate(folder)).exit_code).toBe(0);
  return { folder, directory };
}

const dataIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => !name.startsWith("perdura-migration-report"));

test("removes a state directory, keeps its archive, and down restores it exactly", async () => {
  const { folder, directory } = await archived();
  const before = treeStamp(directory);
  const forecast = await pruneMigration(folder, { dryRun: true });
  expect(schemaErrors(forecast)).toEqual([]);
  expect(forecast).toMatchObject({
    dry_run: true,
    exit_code: 0,
    state_directories: [{ status: "planned", removed: 10 }],
  });
  expect(treeStamp(directory)).toBe(before);
  const report = await pruneMigration(folder);
  expect(schemaErrors(report)).toEqual([]);
  expect(report).toMatchObject({
    exit_code: 0,
    state_directories: [{ path: directory, status: "pruned", removed: 10 }],
    report_path: join(folder, "perdura-migration-report-2.json"),
  });
  expect(dataIn(folder)).toEqual(["empathy_state.v15.sqlar"]);
  expect(await pruneMigration(folder)).toMatchObject({ exit_code: 0, state_directories: [], report_path: null });
  expect(await verifyMigration(folder)).toMatchObject({
    exit_code: 0,
    state_directories: [{ status: "verified" }],
  });
  expect(await downgradeMigration(folder)).toMatchObject({
    exit_code: 0,
    state_directories: [{ path: directory, status: "restored", restored: 10 }],
  });
  expect(treeStamp(directory)).toBe(before);
});

test("accepts a missing directory as the target of prune, verify and down", async () => {
  const { directory } = await archived();
  await pruneMigration(directory);
  expect(existsSync(directory)).toBe(false);
  expect(await pruneMigration(directory)).toMatchObject({ exit_code: 0 });
  expect(await verifyMigration(directory)).toMatchObject({ state_directories: [{ status: "verified" }] });
  expect(await downgradeMigration(directory)).toMatchObject({ state_directories: [{ status: "restored" }] });
  await expect(pruneMigration(`${directory}-2`)).rejects.toMatchObject({ name: "FileNotFoundError" });
});

test.each([
  [
    "changed",
    (directory: string) => writeFileSync(join(directory, "alice.json"), "changed"),
    /alice\.json has different content/,
  ],
  [
    "has something new",
    (directory: string) => writeFileSync(join(directory, "new.json"), ""),
    /new\.json is only in the directory/,
  ],
  ["has no whole archive", (directory: string) => spoil(directory, "UPDATE entries SET sha256 = ''"), /is damaged: /],
  ["has an archive without its rows", (directory: string) => spoil(directory, "DELETE FROM entries"), /is damaged: /],
])("refuses a directory that %s, and removes nothing", async (_what, change, words) => {
  const { folder, directory } = await archived();
  makeUnusualStates(join(folder, "attune_state"));
  await migrate(folder);
  change(directory);
  const before = treeStamp(folder);
  for (const dryRun of [true, false]) {
    const report = await pruneMigration(folder, { dryRun });
    expect(report.exit_code).toBe(3);
    expect(report.state_directories).toMatchObject([
      { status: dryRun ? "planned" : "not_started", removed: dryRun ? 10 : 0 },
      { path: directory, status: "refused", reason: expect.stringMatching(words) },
    ]);
  }
  expect(treeStamp(folder)).toBe(before);
});

function spoil(directory: string, sql: string): void {
  const database = connect(`${directory}.v15.sqlar`);
  database.exec(sql);
  database.close();
}

test("leaves a directory without an archive and an empty directory alone", async () => {
  const folder = freshFolder();
  makeUnusualStates(join(folder, "empathy_state"));
  mkdirSync(join(folder, "attune_state"));
  const before = treeStamp(folder);
  expect(await pruneMigration(folder)).toMatchObject({
    exit_code: 0,
    state_directories: [
      { status: "nothing_to_do" },
      { status: "nothing_to_do", reason: expect.stringContaining("archive") },
    ],
  });
  expect(treeStamp(folder)).toBe(before);
});

test("removes only archived entries next to a database, and completes an interrupted run", async () => {
  const directory = join(freshFolder(), "data");
  makeUnusualStates(directory);
  const path = join(directory, "metrics.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 5);
  makeUnusualStates(join(directory, "empathy_state"));
  expect((await migrate(directory)).exit_code).toBe(0);
  rmSync(join(directory, "alice.json"));
  const report = await pruneMigration(directory);
  expect(report).toMatchObject({
    exit_code: 0,
    state_directories: [
      { path: directory, status: "pruned", removed: 9, notes: [expect.stringContaining("not archived")] },
      { status: "pruned", removed: 10 },
    ],
  });
  expect(dataIn(directory)).toEqual(["empathy_state.v15.sqlar", "metrics.db", "metrics.db.v15.bak"]);
  expect(await pruneMigration(directory, { stateDirectories: [directory] })).toMatchObject({
    exit_code: 0,
    state_directories: [{ status: "nothing_to_do" }],
  });
});

test("removes nothing from a directory that is now empty, and reports it", async () => {
  const { folder, directory } = await archived();
  rmSync(directory, { recursive: true });
  mkdirSync(directory);
  expect(await pruneMigration(folder)).toMatchObject({
    exit_code: 0,
    state_directories: [
      {
        path: directory,
        status: "nothing_to_do",
        removed: 0,
        reason: "The directory contains no entry of the archive.",
      },
    ],
  });
  expect(existsSync(directory)).toBe(true);
});
