import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { topLevelValues } from "../../src/io/json_head.ts";
import { freshFolder } from "../support/folder.ts";
import { DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

const REPORT = { format: "perdura-migration-report", format_version: 1, finished_at: "2026-01-01T00:00:00.000Z" };
const DATABASE = { path: "/m.db", status: "migrated", backup: { path: "/m.db.v15.bak", kept: true } };

test.each([
  { ...REPORT, databases: [null], state_directories: [] },
  { ...REPORT, databases: [], state_directories: [1, [], "x", { status: "archived", path: "/s" }] },
  {
    ...REPORT,
    databases: [{ ...DATABASE, backup: 1 }],
    state_directories: [{ status: "archived", path: {}, archive: {} }],
  },
  { ...REPORT, databases: [], state_directories: [{ archive: { path: "/gone.v15.sqlar" } }] },
  { ...REPORT, databases: [], state_directories: [{ status: "planned", path: "/gone", archive: { path: "/a" } }] },
  { ...REPORT, databases: [{ ...DATABASE, status: "planned" }], state_directories: [] },
  { ...REPORT, databases: [{ ...DATABASE, backup: { path: "/m.db.v15.bak", kept: false } }], state_directories: [] },
  { ...REPORT, databases: [{ ...DATABASE, path: null }], state_directories: [] },
  { ...REPORT, finished_at: { toString: 1 }, databases: [DATABASE], state_directories: [] },
])("ignores a damaged report: %j", async (report) => {
  const folder = freshFolder();
  makeDatabase(join(folder, "m.db"), DOCUMENTED_15);
  await migrate(folder);
  for (const number of [7, 8])
    writeFileSync(join(folder, `perdura-migration-report-${number}.json`), JSON.stringify(report));
  expect(await verifyMigration(folder)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
});

test("uses the valid items of a damaged report", async () => {
  const folder = freshFolder();
  mkdirSync(join(folder, "gone"));
  makeDatabase(join(folder, "m.db"), DOCUMENTED_15);
  const { report_path: path } = await migrate(folder);
  const report = JSON.parse(readFileSync(path as string, "utf8")) as { databases: unknown[] };
  const [, ...none] = report.databases;
  expect(none).toEqual([]);
  const { backup } = report.databases[0] as { backup: { path: string } };
  writeFileSync(backup.path, "");
  writeFileSync(path as string, JSON.stringify({ ...report, databases: [null, ...report.databases] }));
  expect((await verifyMigration(folder)).exit_code).not.toBe(0);
});

test("scans a text that ends inside a string once", () => {
  const long = '\\"'.repeat(2_000_000);
  expect([...topLevelValues(`{"patterns": [], "x": "${long}`).keys()]).toEqual(["patterns", "x"]);
  expect([...topLevelValues(`{${long}`).keys()]).toEqual([]);
});
