import { lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

const NAMES = ["m.db.v15.bak", "empathy_state.v15.sqlar", "perdura-migration-report.json"];

test("neither follows nor replaces a link with the name of a backup, archive or report", async () => {
  const [folder, elsewhere] = [freshFolder(), freshFolder()];
  mkdirSync(join(folder, "empathy_state"));
  writeFileSync(join(folder, "empathy_state", "alice.json"), '{"user_id": "alice", "trust_level": 0.5}');
  makeDatabase(join(folder, "m.db"), DOCUMENTED_15);
  for (const name of NAMES) symlinkSync(join(elsewhere, name), join(folder, name));
  expect(await migrate(folder)).toMatchObject({
    exit_code: 0,
    databases: [{ backup: { path: join(folder, "m.db.v15.2.bak") } }],
    state_directories: [{ archive: { path: join(folder, "empathy_state.v15.2.sqlar") } }],
    report_path: join(folder, "perdura-migration-report-2.json"),
  });
  expect(readdirSync(elsewhere)).toEqual([]);
  for (const name of NAMES) expect(lstatSync(join(folder, name)).isSymbolicLink()).toBe(true);
  expect(await verifyMigration(folder)).toMatchObject({
    exit_code: 0,
    databases: [{ status: "verified" }],
    state_directories: [{ status: "verified" }],
  });
});

test("a log next to a link to itself ends no run, and both are named", async () => {
  const folder = freshFolder();
  symlinkSync("m.db", join(folder, "m.db"));
  writeFileSync(join(folder, "m.db-wal"), Buffer.alloc(5000, "x"));
  for (const command of [planMigration, migrate]) {
    const { refused, left_alone: leftAlone } = await command(folder);
    expect([...refused, ...leftAlone].map(({ path }) => path).toSorted()).toEqual(
      ["m.db", "m.db-wal"].map((name) => join(folder, name)),
    );
  }
});
