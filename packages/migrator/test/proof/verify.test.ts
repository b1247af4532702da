import { appendFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { rotated, useLayout } from "../layouts/layout_suite.ts";
import { fill, insertion, oldTable, type OldTable, optionsFor } from "../layouts/old_table.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { connect, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { METRICS } from "../../src/database/layouts/table_layouts.ts";
import { schemaErrors } from "../support/report_schema.ts";

async function migratedFolder(
  options: Parameters<typeof migrate>[1] = {},
  old: OldTable = oldTable(METRICS),
): Promise<{ folder: string; path: string; states: string }> {
  const folder = freshFolder();
  const [path, states] = [join(folder, "m.db"), join(folder, "empathy_state")];
  const invalid = { user_id: "'invalid'", level: "9", success: "'yes'", response_time_ms: "'slow'", metadata: "'{}'" };
  makeDatabase(path, old.create);
  fill(path, old, 60);
  makeDatabase(path, insertion(old, 61, invalid));
  layOutStates("field", states);
  expect(
    await migrate(folder, { invalidRows: "quarantine", ...optionsFor(old), saveReport: true, ...options }),
  ).toMatchObject({
    exit_code: 0,
  });
  return { folder, path, states };
}

describe("verify finds", () => {
  const CHANGES = [
    ["a changed value", "UPDATE interactions SET user_id = 'U2' WHERE id = 7"],
    ["a changed storage class", "UPDATE interactions SET success = CAST(success AS TEXT) || 'x' WHERE id = 8"],
    ["a changed level", "UPDATE interactions SET level = level + 1 WHERE id = 9"],
    ["a row that is gone", "PRAGMA foreign_keys = OFF; DELETE FROM interactions WHERE id = 11"],
    ["a changed metadata text", "UPDATE interaction_metadata SET metadata = metadata || ' ' WHERE interaction_id = 12"],
    ["a metadata text that is gone", "DELETE FROM interaction_metadata WHERE interaction_id = 15"],
    ["a quarantined row that is gone", "DELETE FROM perdura_quarantine"],
    ["a changed quarantined value", "UPDATE perdura_quarantine SET {success} = 'no'"],
  ] as const;

  test.each(rotated(CHANGES))("%s", async (_what, sql, old) => {
    useLayout(old);
    const { path } = await migratedFolder({}, old);
    makeDatabase(path, sql.replace("{success}", old.names.success ?? ""));
    const report = await verifyMigration(path);
    expect(schemaErrors(report)).toEqual([]);
    expect(report).toMatchObject({
      exit_code: 4,
      databases: [{ status: "differs", verification: { differences: expect.arrayContaining([expect.any(String)]) } }],
    });
  });

  test.each([
    ["a changed file", (file: string) => appendFileSync(file, " ")],
    ["a missing file", (file: string) => rmSync(file)],
    ["a renamed file", (file: string) => renameSync(file, `${file}.old`)],
  ])("%s among the states", async (_what, change) => {
    const { folder, states } = await migratedFolder();
    change(join(states, "alice.json"));
    expect(await verifyMigration(folder)).toMatchObject({
      exit_code: 4,
      databases: [{ status: "verified" }],
      state_directories: [{ status: "differs" }],
    });
  });
});

test("counts rows recorded since the migration without a difference, and writes nothing", async () => {
  const { folder, path } = await migratedFolder();
  const database = connect(path);
  database.exec(
    "PRAGMA journal_mode = WAL; INSERT INTO interactions (user_id, level, success) VALUES ('new', 1, 1); INSERT INTO interaction_metadata VALUES (last_insert_rowid(), '{}')",
  );
  const before = stampOf(folder);
  expect(await verifyMigration(folder)).toMatchObject({
    exit_code: 0,
    databases: [{ status: "verified", verification: { rows_added_since: 1 } }],
  });
  expect(stampOf(folder)).toBe(before);
  database.close();
});

test("finds backups in the backup directory; compares nothing without a backup", async () => {
  const backupDir = freshFolder();
  const { folder, path } = await migratedFolder({ backupDir });
  expect(readdirSync(backupDir)).toEqual([expect.stringMatching(/^m\.db\.v15-[0-9a-f]{8}\.bak$/)]);
  // The report contains the place.
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
  rmSync(join(folder, "perdura-migration-report.json"));
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 1, databases: [{ status: "not_compared" }] });
  expect(await verifyMigration(path, { backupDir })).toMatchObject({
    exit_code: 0,
    databases: [{ status: "verified" }],
  });
});

test("proves without a backup, and keeps no copy", async () => {
  const { folder } = await migratedFolder({ backup: false, saveReport: false });
  expect(readdirSync(folder).toSorted()).toEqual(["empathy_state", "empathy_state.v15.sqlar", "m.db"]);
});

test("never overwrites an older backup", async () => {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, oldTable(METRICS).create);
  makeDatabase(`${path}.v15.bak`, "CREATE TABLE older (x)");
  expect(await migrate(path)).toMatchObject({ databases: [{ backup: { path: `${path}.v15.2.bak`, reused: false } }] });
});
