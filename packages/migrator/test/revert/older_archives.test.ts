import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate, migrationStatus, pruneMigration, revertMigration, verifyMigration } from "../../src/index.ts";
import { change } from "../support/archived_states.ts";
import { freshFolder } from "../support/folder.ts";
import { stateText } from "../support/odd_states.ts";
import { schemaErrors } from "../support/report_schema.ts";
import { treeStamp } from "../support/tree_stamp.ts";

/** Writes states; each begins with its name. */
function write(directory: string, names: readonly string[], trust = 0.5): void {
  mkdirSync(directory, { recursive: true });
  for (const name of names) writeFileSync(join(directory, `${name}.json`), stateText(name, trust));
}

/** Archived and pruned with some states, then filled again and archived again. */
async function archivedTwice(): Promise<{ folder: string; directory: string }> {
  const folder = freshFolder();
  const directory = join(folder, "empathy_state");
  write(directory, ["a", "b", "c"]);
  await migrate(folder);
  await pruneMigration(folder);
  write(directory, ["a"], 0.75);
  expect(await migrate(folder)).toMatchObject({ exit_code: 0, state_directories: [{ status: "archived" }] });
  return { folder, directory };
}

const trustOf = (directory: string, name: string): number =>
  (JSON.parse(readFileSync(join(directory, `${name}.json`), "utf8")) as { trust_level: number }).trust_level;

test("restores from an older archive what no newer one has, and names it", async () => {
  const { folder, directory } = await archivedTwice();
  const expected = {
    exit_code: 0,
    state_directories: [{ restored: 2, notes: [`2 entries from the older archive ${directory}.v15.sqlar`] }],
  };
  expect(await revertMigration(folder, { dryRun: true })).toMatchObject(expected);
  const report = await revertMigration(folder);
  expect(report).toMatchObject(expected);
  expect(schemaErrors(report)).toEqual([]);
  expect(readdirSync(directory)).toEqual(["a.json", "b.json", "c.json"]);
  expect(trustOf(directory, "a")).toBe(0.75);
  expect(await revertMigration(folder)).toMatchObject({
    exit_code: 0,
    state_directories: [{ status: "nothing_to_do", notes: [] }],
  });
});

test("restores a missing directory from the newest archive, then entries of older ones", async () => {
  const { folder, directory } = await archivedTwice();
  rmSync(directory, { recursive: true });
  const expected = {
    exit_code: 0,
    state_directories: [
      {
        restored: 3,
        notes: [
          `1 entry from the archive ${directory}.v15.2.sqlar`,
          `2 entries from the older archive ${directory}.v15.sqlar`,
        ],
      },
    ],
  };
  expect(await revertMigration(folder, { dryRun: true })).toMatchObject(expected);
  expect(existsSync(directory)).toBe(false);
  expect(await revertMigration(folder)).toMatchObject(expected);
  expect(["a", "b", "c"].map((name) => trustOf(directory, name))).toEqual([0.75, 0.5, 0.5]);
});

test("verify checks every archive against itself, and status names them", async () => {
  const { folder, directory } = await archivedTwice();
  const older = `${directory}.v15.sqlar`;
  expect(await verifyMigration(folder)).toMatchObject({
    exit_code: 0,
    state_directories: [{ status: "verified", notes: [`older archive: ${older}`] }],
  });
  expect(await migrationStatus(folder)).toMatchObject({
    exit_code: 0,
    state_directories: [{ status: "nothing_to_do", notes: [`older archive: ${older}`] }],
  });
  change(older, "UPDATE entries SET sha256 = '' WHERE name = 'b.json'");
  expect(await verifyMigration(folder)).toMatchObject({
    exit_code: 4,
    state_directories: [
      { status: "differs", differences: [`${older}: b.json in the archive does not match its checksum`] },
    ],
  });
  const before = treeStamp(directory);
  expect(await pruneMigration(folder)).toMatchObject({
    exit_code: 3,
    state_directories: [{ status: "refused", reason: expect.stringContaining(`The archive ${older} is damaged`) }],
  });
  expect(await revertMigration(folder)).toMatchObject({
    exit_code: 3,
    state_directories: [{ status: "refused", reason: expect.stringContaining(`The archive ${older} is damaged`) }],
  });
  expect(treeStamp(directory)).toBe(before);
});

test("names a missing archive of a report, even if newer ones exist", async () => {
  const { folder, directory } = await archivedTwice();
  const gone = `An archive that an earlier report lists is missing: ${directory}.v15.sqlar`;
  rmSync(`${directory}.v15.sqlar`);
  expect(await verifyMigration(folder)).toMatchObject({
    exit_code: 4,
    state_directories: [{ status: "differs", differences: [gone] }],
  });
  expect(await migrationStatus(folder)).toMatchObject({ state_directories: [{ notes: [gone] }] });
  expect(await revertMigration(folder)).toMatchObject({
    exit_code: 0,
    state_directories: [{ status: "nothing_to_do", notes: [gone] }],
  });
});

test("fails if directory and archive are missing", async () => {
  const { folder, directory } = await archivedTwice();
  await pruneMigration(folder);
  for (const name of ["sqlar", "2.sqlar"]) rmSync(`${directory}.v15.${name}`);
  const lost = {
    exit_code: 1,
    state_directories: [{ status: "failed", reason: expect.stringContaining(`${directory}.v15.2.sqlar`) }],
  };
  expect(await revertMigration(folder)).toMatchObject(lost);
  expect(await revertMigration(folder, { dryRun: true })).toMatchObject(lost);
  expect(await migrationStatus(folder)).toMatchObject(lost);
  expect(await verifyMigration(folder)).toMatchObject({ exit_code: 4 });
});
