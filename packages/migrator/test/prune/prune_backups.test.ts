import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PATTERN_FIELDS } from "@perdura/internals/validity/pattern_fields.js";
import { expect, test } from "vitest";
import { planMigration, pruneMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, connect, DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { schemaErrors } from "../support/report_schema.ts";

test("removes a backup only with the option, and only if it equals its database", async () => {
  const folder = freshFolder();
  const [good, bad] = [join(folder, "good.db"), join(folder, "sub", "bad.db")];
  mkdirSync(join(folder, "sub"));
  for (const path of [good, bad]) {
    makeDatabase(path, DOCUMENTED_15);
    addRows(path, "interactions", 9);
  }
  await migrate([good, bad]);
  expect(await pruneMigration(folder)).toMatchObject({ exit_code: 0, databases: [] });
  change(bad, "DELETE FROM interactions WHERE id = 4");
  expect(await pruneMigration(folder, { pruneBackups: true })).toMatchObject({
    exit_code: 3,
    databases: [
      { status: "not_started", removed: [] },
      { status: "refused", removed: [], reason: expect.stringContaining("The backup was not removed") },
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

test("removes only the compared one of several backups, and lists the others", async () => {
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

test("keeps a backup whose user tables differ from the database; patterns may differ", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    DOCUMENTED_15,
    `CREATE TABLE patterns (id TEXT PRIMARY KEY, ${PATTERN_FIELDS.slice(1).join(", ")})`,
    "INSERT INTO patterns (id, agent_id, pattern_type, name, confidence, usage_count, success_count, failure_count) VALUES ('p', 'a', 't', 'Retry', 0.5, 0, 0, 0)",
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, text)",
    "INSERT INTO notes (text) VALUES ('call back'), ('send the offer')",
  );
  addRows(path, "interactions", 9);
  await migrate(path);
  change(path, "UPDATE patterns SET confidence = 0.9");
  expect(await pruneMigration(path, { pruneBackups: true, dryRun: true })).toMatchObject({
    databases: [{ status: "planned" }],
  });
  change(path, "DELETE FROM notes WHERE id = 2");
  const report = await pruneMigration(path, { pruneBackups: true });
  expect(report).toMatchObject({
    exit_code: 3,
    databases: [{ status: "refused", removed: [], reason: expect.stringContaining("in notes (1)") }],
  });
  expect(existsSync(`${path}.v15.bak`)).toBe(true);
});

function change(path: string, sql: string): void {
  const database = connect(path);
  database.exec(sql);
  database.close();
}

test("keeps the backup of a database that is in use or belongs to another program", async () => {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, DOCUMENTED_15);
  addRows(path, "interactions", 9);
  makeDatabase(join(folder, "other.db"), "CREATE TABLE interactions (x)");
  await migrate(path);
  expect(await pruneMigration(folder, { pruneBackups: true, dryRun: true })).toMatchObject({
    databases: [{ status: "planned" }, { status: "nothing_to_do", removed: [] }],
  });
  const writer = connect(path);
  writer.exec("BEGIN EXCLUSIVE");
  expect(await pruneMigration(path, { pruneBackups: true, busyTimeoutMs: 50 })).toMatchObject({
    exit_code: 5,
    databases: [{ status: "in_use", removed: [] }],
  });
  writer.close();
  expect(existsSync(`${path}.v15.bak`)).toBe(true);
});
