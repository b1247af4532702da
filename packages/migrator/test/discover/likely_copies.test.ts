import { copyFileSync, cpSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { originalNames } from "../../src/discover/likely_copies.ts";
import { migrate, planMigration } from "../../src/index.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase } from "../support/legacy_database.ts";

const COPIES = [
  "metrics.db.bak",
  "metrics.db.bak2",
  "metrics.db~",
  "metrics.db.old",
  "metrics.db.2026-01-31",
  "metrics.db.1",
  "metrics (copy).db",
  "metrics (1).db",
  "metrics (conflicted copy 2026-01-31).db",
  "metrics (Anna's conflicted copy).db",
  "metrics - Copy.db",
  "metrics - Copy (2).db",
  "metrics-old.db",
  "metrics_backup.db",
  "metrics.orig.db",
  "metrics-2026-01-31.db",
  "metrics_20260131_120000.db",
  "metrics.sync-conflict-20260131-120000-ABCDEF.db",
  "Copy of metrics.db",
  "metrics (copy).db.bak",
];

test.each(COPIES)("%s is by its name a copy of metrics.db", (name) => {
  expect(originalNames(name)).toContain("metrics.db");
});

test.each([
  "metrics.db",
  "old.db",
  "copy.db",
  "(1).db",
  "2026-01-31.db",
  "metrics-team.db",
  "metrics2.db",
  "~",
  ".bak",
])("%s is a copy of nothing that is there", (name) => {
  expect(originalNames(name)).not.toContain("metrics.db");
});

test("a long name of marks alone is looked at for no longer than any other", () => {
  expect(originalNames(`${"(a)".repeat(60)}.db`).length).toBeLessThan(10);
  expect(originalNames(`metrics${"-old".repeat(60)}.db`).length).toBeLessThan(10);
});

describe("copies in a directory that is searched", () => {
  function folderWith(...names: string[]): string {
    const folder = freshFolder();
    makeDatabase(join(folder, "metrics.db"), FIELD_A);
    addRows(join(folder, "metrics.db"), "metrics", 3);
    for (const name of names) copyFileSync(join(folder, "metrics.db"), join(folder, name));
    return folder;
  }

  test("are left alone and named, the one that they are a copy of is migrated", async () => {
    const folder = folderWith(...COPIES);
    const bytes = readFileSync(join(folder, "metrics.db"));
    const report = await migrate(folder, { saveReport: false });
    expect(report).toMatchObject({
      exit_code: 0,
      databases: [{ path: join(folder, "metrics.db"), status: "migrated" }],
    });
    const named = report.left_alone.filter(({ reason }) => reason.startsWith("by its name a copy of "));
    expect(named.map(({ path }) => basename(path)).toSorted()).toEqual(COPIES.toSorted());
    for (const name of COPIES) expect(readFileSync(join(folder, name)).equals(bytes)).toBe(true);
    expect(await planMigration(folder)).toMatchObject({ databases: [{ status: "nothing_to_do" }] });
  });

  test("are migrated where they are named, or where nothing lies beside them that they could be a copy of", async () => {
    const folder = folderWith("metrics-old.db", "other-old.db");
    const copy = join(folder, "metrics-old.db");
    expect((await planMigration(copy)).databases).toMatchObject([{ path: copy, status: "planned" }]);
    const both = await planMigration([folder, copy]);
    expect(both.databases.map(({ path }) => basename(path))).toEqual(["metrics-old.db", "metrics.db", "other-old.db"]);
    expect(await migrate(copy, { saveReport: false })).toMatchObject({ exit_code: 0 });
    // It has a backup now, so that it was meant.
    expect((await planMigration(folder)).databases).toHaveLength(3);
  });

  test("are directories of states as well", async () => {
    const folder = freshFolder();
    layOutStates("documented", join(folder, "state"));
    for (const name of ["state.bak", "state (copy)", "state-old"])
      cpSync(join(folder, "state"), join(folder, name), { recursive: true });
    mkdirSync(join(folder, "empty"));
    const before = stampOf(folder);
    const { state_directories: found, left_alone: left } = await planMigration(folder);
    expect(found.map(({ path }) => basename(path))).toEqual(["state"]);
    expect(left.map(({ path }) => basename(path))).toEqual(
      expect.arrayContaining(["state.bak", "state (copy)", "state-old"]),
    );
    expect(
      (await planMigration(folder, { stateDirectories: [join(folder, "state-old")] })).state_directories,
    ).toHaveLength(2);
    expect(stampOf(folder)).toBe(before);
  });
});
