import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { layOutLegacy } from "../../../../test/legacy/legacy_fixtures.ts";
import { addRows, DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { schemaErrors } from "../support/report_schema.ts";
import { wholeContent } from "../support/whole_content.ts";

const DECIDED = { invalidRows: "quarantine", missingLevel: 3 } as const;

test.each([
  "documented-15-user-objects",
  "documented-15-invalid",
  "documented-15-unparsable-views",
  "documented-15-wal",
  "field-a-invalid",
  "field-a-own-columns",
  "field-a-unparsable-views",
  "field-a-user-objects",
  "field-b-invalid",
  "field-c",
  "field-d",
  "combined-a",
  "both-invalid",
  "both-b-16",
  "half-upgraded",
  "field-patterns",
])("%s is restored exactly, with the order of its schema, in repeated downgrades", async (name) => {
  const path = layOutLegacy(name, freshFolder());
  const before = wholeContent(path);
  for (let round = 0; round < 2; round += 1) {
    expect(await migrate(path, DECIDED)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
    const report = await downgradeMigration(path);
    expect(report).toMatchObject({
      command: "down",
      dry_run: false,
      exit_code: 0,
      databases: [{ status: "downgraded", reason: null, verification: { differences: [], rows_added_since: 0 } }],
    });
    expect(schemaErrors(report)).toEqual([]);
    expect(wholeContent(path)).toEqual(before);
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  }
});

function documented(...more: string[]): { folder: string; path: string } {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, DOCUMENTED_15, ...more);
  addRows(path, "interactions", 30);
  return { folder, path };
}

test("a dry run lists its steps and changes nothing", async () => {
  const { folder, path } = documented();
  await migrate(path);
  const before = stampOf(folder);
  const dry = await downgradeMigration(path, { dryRun: true });
  expect(dry).toMatchObject({ exit_code: 0, dry_run: true, databases: [{ status: "planned" }] });
  expect(stampOf(folder)).toBe(before);
  const { databases } = await downgradeMigration(path);
  expect(databases[0]?.steps).toEqual(dry.databases[0]?.steps);
  expect(databases[0]?.steps).toContain("rename the column level to empathy_level");
});

test("has nothing to do again, and leaves databases alone that were never migrated", async () => {
  const { folder, path } = documented();
  const made = join(folder, "made.db");
  makeDatabase(made, DOCUMENTED_15.replace("empathy_level", "level"));
  await migrate(path);
  await downgradeMigration(path);
  const before = stampOf(folder);
  expect(await downgradeMigration(folder)).toMatchObject({
    exit_code: 0,
    summary: "Nothing to downgrade or restore; nothing was changed.",
    databases: [
      { path, status: "nothing_to_do" },
      { path: made, status: "left_alone", reason: expect.stringContaining("no migration") },
    ],
  });
  expect(stampOf(folder)).toBe(before);
});

test("keeps the backup of version 16 next to the database, with its own number", async () => {
  const { folder, path } = documented();
  for (const copy of [`${path}.v16.bak`, `${path}.v16.2.bak`]) {
    await migrate(folder);
    const migrated = query(path, "SELECT * FROM interactions");
    expect(await downgradeMigration(folder)).toMatchObject({
      databases: [{ backup: { path: copy, kept: true, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } }],
      left_alone: expect.arrayContaining([
        { path: `${path}.v15.bak`, reason: "a backup of perdura-migrate", made: "backup" },
      ]),
    });
    expect(query(copy, "SELECT * FROM interactions")).toEqual(migrated);
  }
  expect(readdirSync(folder).filter((name) => name.endsWith(".json"))).toHaveLength(4);
  expect(await migrate(folder)).toMatchObject({ databases: [{ path }] });
});

test("works after --no-backup, and keeps no backup with that option", async () => {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 30);
  const before = wholeContent(path);
  await migrate(path, { backup: false, saveReport: false });
  await downgradeMigration(path, { backup: false, saveReport: false });
  expect(wholeContent(path)).toEqual(before);
  expect(readdirSync(folder)).toEqual(["m.db"]);
});

test("writes backups to the backup directory", async () => {
  const { folder, path } = documented();
  const backupDir = join(folder, "backups");
  mkdirSync(backupDir);
  await migrate(path, { backupDir });
  expect(await downgradeMigration(path, { backupDir })).toMatchObject({ exit_code: 0 });
  expect(readdirSync(backupDir)).toEqual([
    expect.stringMatching(/^m\.db\.v15-[0-9a-f]{8}\.bak$/),
    expect.stringMatching(/^m\.db\.v16-[0-9a-f]{8}\.bak$/),
  ]);
  expect(existsSync(`${path}.v16.bak`)).toBe(false);
  expect(await verifyMigration(path, { backupDir })).toMatchObject({
    exit_code: 0,
    databases: [{ status: "verified" }],
  });
});
