import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate, planMigration, pruneMigration } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, connect, DOCUMENTED_15, makeDatabase } from "../support/legacy_database.ts";
import { schemaErrors } from "../support/report_schema.ts";

test("a backup goes only when it is asked for, and equals its database", async () => {
  const folder = freshFolder();
  const [good, bad] = [join(folder, "good.db"), join(folder, "sub", "bad.db")];
  mkdirSync(join(folder, "sub"));
  for (const path of [good, bad]) {
    makeDatabase(path, DOCUMENTED_15);
    addRows(path, "interactions", 9);
  }
  await migrate(folder);
  expect(await pruneMigration(folder)).toMatchObject({ exit_code: 0, databases: [] });
  const database = connect(bad);
  database.exec("DELETE FROM interactions WHERE id = 4");
  database.close();
  expect(await pruneMigration(folder, { pruneBackups: true })).toMatchObject({
    exit_code: 3,
    databases: [
      { status: "not_started", removed: [] },
      { status: "refused", removed: [], reason: expect.stringContaining("The backup stays") },
    ],
  });
  expect([good, bad].map((path) => existsSync(`${path}.v15.bak`))).toEqual([true, true]);
  expect(await pruneMigration(good, { pruneBackups: true, dryRun: true })).toMatchObject({
    databases: [{ status: "planned", removed: [`${good}.v15.bak`] }],
  });
  const report = await pruneMigration(good, { pruneBackups: true });
  expect(schemaErrors(report)).toEqual([]);
  expect(report).toMatchObject({ databases: [{ status: "pruned", removed: [`${good}.v15.bak`] }] });
  expect([good, bad].map((path) => existsSync(`${path}.v15.bak`))).toEqual([false, true]);
  expect(await planMigration(good)).toMatchObject({ databases: [{ status: "nothing_to_do" }] });
});

test("of several backups the one that was compared goes, the others are named", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, DOCUMENTED_15);
  addRows(path, "interactions", 9);
  await migrate(path);
  writeFileSync(`${path}.v15.2.bak`, "not even a database");
  expect(await pruneMigration(path, { pruneBackups: true })).toMatchObject({
    databases: [{ status: "pruned", removed: [`${path}.v15.bak`], notes: [expect.stringContaining("m.db.v15.2.bak")] }],
  });
  expect(statSync(`${path}.v15.2.bak`).size).toBe(19);
});
