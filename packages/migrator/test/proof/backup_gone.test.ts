import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { pruneMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

/** A migrated database and a library whose `NaN` became text; their backups are in `backupDir`, or next to them. */
async function migrated(backupDir?: string): Promise<{ folder: string; database: string; library: string }> {
  const folder = freshFolder();
  const [database, library] = ["metrics.db", "patterns.json"].map((name) => join(folder, name)) as [string, string];
  makeDatabase(database, DOCUMENTED_15);
  addRows(database, "interactions", 3);
  const text = readFileSync(fixture("libraries", "all-fields.json"), "utf8");
  writeFileSync(library, text.replace('"context": {', '"context": { "score": NaN,'));
  expect(await migrate(folder, { nonFinite: "text", backupDir })).toMatchObject({
    exit_code: 0,
    databases: [{ status: "migrated" }, { status: "migrated" }],
  });
  return { folder, database, library };
}

test("reports a missing backup that the report names until it is restored", async () => {
  const { folder, database, library } = await migrated();
  for (const path of [database, library]) {
    const backup = `${path}.v15.bak`;
    renameSync(backup, `${folder}-away`);
    const { exit_code: code, databases } = await verifyMigration(folder);
    expect({ code, report: databases.find((item) => item.path === path) }).toMatchObject({
      code: 4,
      report: { status: "differs", reason: expect.stringContaining(`the backup ${backup}, `) },
    });
    renameSync(`${folder}-away`, backup);
    expect(await verifyMigration(folder)).toMatchObject({
      exit_code: 0,
      databases: [{ status: "verified" }, { status: "verified" }],
    });
  }
});

test("does not report a pruned backup, or one of a downgraded database", async () => {
  const { folder, database } = await migrated();
  expect(await pruneMigration(database, { pruneBackups: true })).toMatchObject({ exit_code: 0 });
  expect(await verifyMigration(folder)).toMatchObject({
    exit_code: 0,
    databases: [{ status: "not_compared", reason: "There is no backup to compare with." }, { status: "verified" }],
  });
  const other = await migrated();
  expect(await downgradeMigration(other.folder)).toMatchObject({ exit_code: 0 });
  expect(await verifyMigration(other.folder)).toMatchObject({ exit_code: 0 });
});

test("finds a backup in a backup directory with the report, and reports a missing one", async () => {
  const backupDir = join(freshFolder(), "backups");
  mkdirSync(backupDir);
  const { folder } = await migrated(backupDir);
  expect(await verifyMigration(folder)).toMatchObject({
    exit_code: 0,
    databases: [{ status: "verified" }, { status: "verified" }],
  });
  renameSync(backupDir, `${backupDir}-away`);
  expect(await verifyMigration(folder)).toMatchObject({
    exit_code: 4,
    databases: [{ status: "differs" }, { status: "differs" }],
  });
});
