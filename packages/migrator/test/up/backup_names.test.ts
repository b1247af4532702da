import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

test("databases with the same file name have separate backups in one directory", async () => {
  const [folder, backupDir] = [freshFolder(), freshFolder()];
  const paths = ["one", "two"].map((name, index) => {
    mkdirSync(join(folder, name));
    const path = join(folder, name, "metrics.db");
    makeDatabase(path, DOCUMENTED_15);
    addRows(path, "interactions", 5 + index);
    return path;
  });
  const report = await migrate(folder, { backupDir });
  expect(readdirSync(backupDir).toSorted()).toEqual([
    expect.stringMatching(/^metrics\.db\.v15-[0-9a-f]{8}\.bak$/),
    expect.stringMatching(/^metrics\.db\.v15-[0-9a-f]{8}\.bak$/),
  ]);
  for (const [index, { backup }] of report.databases.entries())
    expect(query(backup?.path as string, "SELECT count(empathy_level) FROM interactions")).toEqual([
      [5n + BigInt(index)],
    ]);
  expect(await verifyMigration(folder, { backupDir })).toMatchObject({
    exit_code: 0,
    databases: [{ status: "verified" }, { status: "verified" }],
  });
  rmSync(paths[1] as string);
  const after = await verifyMigration(folder, { backupDir });
  // The directory is empty now, but the other one shows that it had a database.
  expect(after).toMatchObject({ exit_code: 4 });
  expect(after.databases.find(({ path }) => path === paths[1])).toMatchObject({ status: "differs" });
});

test("a new backup gets the highest number and replaces none", async () => {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, DOCUMENTED_15);
  makeDatabase(`${path}.v15.3.bak`, "CREATE TABLE older (x)");
  const report = await migrate(path);
  expect(report).toMatchObject({ exit_code: 0, databases: [{ backup: { path: `${path}.v15.4.bak` } }] });
  expect(existsSync(`${path}.v15.bak`)).toBe(false);
  expect(query(`${path}.v15.3.bak`, "SELECT name FROM sqlite_schema")).toEqual([["older"]]);
});
