import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  extractArchivedStates,
  migrationStatus,
  pruneMigration,
  downgradeMigration,
  verifyMigration,
} from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { change } from "../support/archived_states.ts";
import { freshFolder } from "../support/folder.ts";
import { stateText } from "../../../../test/legacy/unusual_states.ts";
import { treeStamp } from "../../../../test/tree_stamp.ts";

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

test("restores from the newest archive only, and names the older one", async () => {
  const { folder, directory } = await archivedTwice();
  const older = expect.stringContaining(`older archive, which is not used: ${directory}.v15.sqlar`);
  const states = async (dryRun: boolean): Promise<unknown> =>
    (await downgradeMigration(folder, { dryRun })).state_directories;
  expect(await states(true)).toMatchObject([{ status: "nothing_to_do", restored: 0, notes: [older] }]);
  rmSync(directory, { recursive: true });
  expect(await states(true)).toMatchObject([{ status: "planned", restored: 1, notes: [older] }]);
  expect(existsSync(directory)).toBe(false);
  expect(await states(false)).toMatchObject([{ status: "restored", restored: 1, notes: [older] }]);
  expect(readdirSync(directory)).toEqual(["a.json"]);
  expect(trustOf(directory, "a")).toBe(0.75);
  const extracted = join(folder, "extracted");
  await extractArchivedStates(`${directory}.v15.sqlar`, extracted);
  expect(["a", "b", "c"].map((name) => trustOf(extracted, name))).toEqual([0.5, 0.5, 0.5]);
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
  expect(await downgradeMigration(folder)).toMatchObject({
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
  expect(await downgradeMigration(folder)).toMatchObject(lost);
  expect(await downgradeMigration(folder, { dryRun: true })).toMatchObject(lost);
  expect(await migrationStatus(folder)).toMatchObject(lost);
  expect(await verifyMigration(folder)).toMatchObject({ exit_code: 4 });
});
