import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { downgradeMigration, migrationStatus, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { runProgram } from "../support/run_program.ts";
import { schemaErrors } from "../support/report_schema.ts";
import { addRows, connect, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { makeUnusualStates } from "../../../../test/legacy/unusual_states.ts";

/** A migrated database with a backup next to it. */
async function migrated(): Promise<{ folder: string; database: string; backup: string }> {
  const folder = freshFolder();
  const database = join(folder, "metrics.db");
  makeDatabase(database, FIELD_A);
  addRows(database, "metrics", 3);
  expect(await migrate(folder)).toMatchObject({ exit_code: 0 });
  return { folder, database, backup: `${database}.v15.bak` };
}

function execute(path: string, sql: string): void {
  const database = connect(path);
  database.exec(sql);
  database.close();
}

test("verify of a backup compares its database with it, and writes nothing", async () => {
  const { folder, database, backup } = await migrated();
  const before = stampOf(folder);
  const report = await verifyMigration(backup);
  expect(schemaErrors(report)).toEqual([]);
  expect(report).toMatchObject({
    exit_code: 0,
    targets: [backup],
    databases: [{ path: database, status: "verified", backup: { path: backup } }],
  });
  expect(stampOf(folder)).toBe(before);
  execute(database, "DELETE FROM interactions WHERE id = 2");
  expect(await verifyMigration(backup)).toMatchObject({
    exit_code: 4,
    databases: [{ path: database, status: "differs" }],
  });
});

test("status of a backup is that of its database; plan says what the backup was made of", async () => {
  const { database, backup } = await migrated();
  expect(await migrationStatus(backup)).toMatchObject({
    exit_code: 0,
    databases: [{ path: database, status: "nothing_to_do", backups: [{ path: backup }] }],
    left_alone: [],
  });
  expect(await planMigration(backup)).toMatchObject({
    exit_code: 0,
    summary: "Found only backups or archives of perdura-migrate.",
    databases: [],
    left_alone: [
      { path: backup, reason: `a backup of perdura-migrate, made of ${database}; specify that path instead` },
    ],
  });
});

test("up, down and prune of a backup change nothing", async () => {
  const { folder, backup } = await migrated();
  const before = stampOf(folder);
  for (const words of [["up"], ["down"], ["prune", "--yes"], ["prune", "--yes", "--backups"]])
    expect(await runProgram(...words, backup)).toMatchObject({ code: 0 });
  expect(stampOf(folder)).toBe(before);
});

test.each(["v15", "v16"])("after down, verify of the %s backup gives the verdict of its directory", async (line) => {
  const { folder, database } = await migrated();
  expect(await downgradeMigration(folder)).toMatchObject({ exit_code: 0 });
  const { databases } = await verifyMigration(folder);
  expect(databases).toMatchObject([{ path: database, status: "verified", backup: { path: `${database}.v16.bak` } }]);
  expect(await verifyMigration(`${database}.${line}.bak`)).toMatchObject({ exit_code: 0, databases });
});

test("does not compare a database that was migrated again with the backup of a downgrade", async () => {
  const { folder, database, backup } = await migrated();
  await downgradeMigration(folder);
  await migrate(folder);
  const report = await verifyMigration(`${database}.v16.bak`);
  expect(report).toMatchObject({
    exit_code: 1,
    databases: [{ path: database, status: "not_compared", reason: expect.stringContaining("from a downgrade") }],
  });
  expect(await verifyMigration(backup)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
});

test("compares with exactly the named one of several backups", async () => {
  const { database, backup } = await migrated();
  const second = `${database}.v15.2.bak`;
  cpSync(backup, second);
  execute(second, "UPDATE metrics SET user_id = 'other' WHERE id = 1");
  for (const [targets, code, used] of [
    [[backup], 0, backup],
    [[second], 4, second],
    [[backup, second, database], 4, second],
  ] as const)
    expect(await verifyMigration(targets)).toMatchObject({
      exit_code: code,
      databases: [{ path: database, backup: { path: used } }],
    });
});

test("describes a backup without its database, and compares nothing", async () => {
  const { folder, database, backup } = await migrated();
  renameSync(database, join(folder, "elsewhere.db"));
  const report = await verifyMigration(backup);
  expect(schemaErrors(report)).toEqual([]);
  expect(report).toMatchObject({
    exit_code: 1,
    summary: `Found nothing to compare in ${backup}: 1 not compared.`,
    databases: [
      {
        path: backup,
        status: "not_compared",
        layout: "field-a",
        tables: [{ table: "metrics", rows: 3 }],
        reason:
          "Nothing to compare it with: metrics.db is not in the directory of this backup. The backup is readable.",
      },
    ],
    left_alone: [],
  });
  expect(await migrationStatus(backup)).toMatchObject({ exit_code: 0, databases: [], left_alone: [{ path: backup }] });
  // The directory should contain the database.
  expect(await verifyMigration(folder)).toMatchObject({ exit_code: 4 });
});

test("a damaged database is still reported as that, by its backup's name as well", async () => {
  const { folder, database, backup } = await migrated();
  writeFileSync(database, "no database");
  for (const target of [folder, backup])
    expect(await verifyMigration(target)).toMatchObject({
      exit_code: 4,
      databases: [
        { path: database, status: "differs", reason: expect.stringContaining("The file is no longer a database") },
      ],
    });
});

test("describes a backup in a backup directory", async () => {
  const [folder, backupDir] = [freshFolder(), join(freshFolder(), "backups")];
  mkdirSync(backupDir);
  makeDatabase(join(folder, "metrics.db"), FIELD_A);
  const { databases } = await migrate(folder, { backupDir });
  const backup = databases[0]?.backup?.path as string;
  expect(basename(backup)).toMatch(/^metrics\.db\.v15-[\da-f]{8}\.bak$/);
  expect(await verifyMigration(backup)).toMatchObject({ exit_code: 1, databases: [{ status: "not_compared" }] });
  expect(await planMigration(backup)).toMatchObject({
    left_alone: [{ reason: "a backup of perdura-migrate, made of a file metrics.db in another directory" }],
  });
});

describe("a JSON library", () => {
  /** A migrated library and its backup. */
  async function migratedLibrary(): Promise<{ library: string; backup: string }> {
    const library = join(freshFolder(), "patterns.json");
    const text = readFileSync(fixture("libraries", "all-fields.json"), "utf8");
    writeFileSync(library, text.replace('"context": {', '"context": { "score": NaN,'));
    expect(await migrate(library, { nonFinite: "text" })).toMatchObject({ exit_code: 0 });
    return { library, backup: `${library}.v15.bak` };
  }

  test("verify of its backup compares the library with it", async () => {
    const { library, backup } = await migratedLibrary();
    expect(await verifyMigration(backup)).toMatchObject({
      exit_code: 0,
      databases: [{ path: library, status: "verified", backup: { path: backup } }],
    });
    expect(await planMigration(backup)).toMatchObject({ left_alone: [{ reason: expect.stringContaining(library) }] });
  });

  test("of several backups, the named one is compared", async () => {
    const { library, backup } = await migratedLibrary();
    expect(await downgradeMigration(library)).toMatchObject({ exit_code: 0 });
    writeFileSync(library, readFileSync(library, "utf8").replace('"score": NaN', '"score": Infinity'));
    expect(await migrate(library, { nonFinite: "text" })).toMatchObject({ exit_code: 0 });
    const changed = (path: string): Promise<unknown> =>
      verifyMigration(path).then(({ databases }) => [
        databases[0]?.backup?.path,
        databases[0]?.verification?.other_tables[0]?.changed_since ?? 0,
      ]);
    expect(await changed(`${library}.v15.2.bak`)).toEqual([`${library}.v15.2.bak`, 0]);
    expect(await changed(backup)).toEqual([backup, 1]);
  });

  test("describes a backup without its library", async () => {
    const { library, backup } = await migratedLibrary();
    rmSync(library);
    expect(await verifyMigration(backup)).toMatchObject({
      exit_code: 1,
      databases: [{ path: backup, status: "not_compared", layout: "json-library", tables: [{ table: "patterns" }] }],
    });
  });
});

describe("an archive of states", () => {
  test("verify and status of the archive are those of its directory", async () => {
    const folder = freshFolder();
    const directory = join(folder, "people");
    makeUnusualStates(directory);
    makeDatabase(join(directory, "metrics.db"), FIELD_A);
    expect(await migrate(folder, { stateDirectories: [directory] })).toMatchObject({ exit_code: 0 });
    const archive = `${directory}.v15.sqlar`;
    for (const target of [archive, directory])
      expect(await verifyMigration(target, { stateDirectories: [directory] })).toMatchObject({
        exit_code: 0,
        state_directories: [{ path: directory, status: "verified", archive: { path: archive } }],
      });
    expect(await verifyMigration(archive)).toMatchObject({ exit_code: 0, state_directories: [{ status: "verified" }] });
    expect(await migrationStatus(archive)).toMatchObject({ state_directories: [{ status: "nothing_to_do" }] });
    expect(await planMigration(archive)).toMatchObject({
      left_alone: [
        { path: archive, reason: `an archive of perdura-migrate, made of ${directory}; specify that path instead` },
      ],
    });
  });

  test("compares with exactly the named one of several archives", async () => {
    const directory = join(freshFolder(), "empathy_state");
    makeUnusualStates(directory);
    await migrate(directory);
    writeFileSync(join(directory, "new.json"), "{}");
    await migrate(directory);
    expect(await verifyMigration(`${directory}.v15.2.sqlar`)).toMatchObject({ exit_code: 0 });
    expect(await verifyMigration(`${directory}.v15.sqlar`)).toMatchObject({
      exit_code: 4,
      state_directories: [{ differences: ["new.json is only in the directory"] }],
    });
  });
});
