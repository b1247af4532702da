import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration, pruneMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { makeUnusualStates, stateText } from "../../../../test/legacy/unusual_states.ts";
import { treeStamp } from "../../../../test/tree_stamp.ts";

/** A directory of states with archives of these numbers, each of a later state; the last is of the current one. */
async function archivedAs(...numbers: number[]): Promise<string> {
  const directory = join(freshFolder(), "empathy_state");
  makeUnusualStates(directory);
  for (const number of numbers) {
    writeFileSync(join(directory, "alice.json"), stateText("alice", number / 100));
    // A report would contain the archive's name before the renaming.
    const report = await migrate(directory, { saveReport: false });
    expect(report).toMatchObject({ state_directories: [{ status: "archived" }] });
    renameSync(report.state_directories[0]?.archive?.path ?? "", archive(directory, number));
  }
  return directory;
}

const archive = (directory: string, number: number): string =>
  `${directory}.v15${number === 1 ? "" : `.${number}`}.sqlar`;

test.each([[[1]], [[3]], [[2, 5]], [[1, 9, 10]]])(
  "the last of the archives %j is the newest, and the next one gets a higher number",
  async (numbers) => {
    const directory = await archivedAs(...numbers);
    const newest = archive(directory, numbers.at(-1) ?? 0);
    expect(await planMigration(directory)).toMatchObject({
      state_directories: [{ status: "nothing_to_do", archive: { path: newest } }],
    });
    expect(await verifyMigration(directory)).toMatchObject({
      state_directories: [{ status: "verified", archive: { path: newest } }],
    });
    const before = treeStamp(directory);
    expect(await pruneMigration(directory)).toMatchObject({ state_directories: [{ archive: { path: newest } }] });
    expect(await downgradeMigration(directory)).toMatchObject({ state_directories: [{ archive: { path: newest } }] });
    expect(treeStamp(directory)).toBe(before);
    writeFileSync(join(directory, "alice.json"), stateText("alice", 0.99));
    const next = archive(directory, (numbers.at(-1) ?? 0) + 1);
    expect(await migrate(directory)).toMatchObject({ state_directories: [{ archive: { path: next } }] });
  },
);

test("refuses to restore from an older archive if the newest is damaged", async () => {
  const directory = await archivedAs(1, 4);
  const bytes = readFileSync(archive(directory, 4));
  writeFileSync(archive(directory, 4), bytes.subarray(0, bytes.length / 2));
  const before = treeStamp(directory);
  const named = expect.stringContaining("empathy_state.v15.4.sqlar");
  expect(await verifyMigration(directory)).toMatchObject({ state_directories: [{ status: "differs", reason: named }] });
  expect(await pruneMigration(directory)).toMatchObject({ state_directories: [{ status: "refused", reason: named }] });
  expect(treeStamp(directory)).toBe(before);
  rmSync(directory, { recursive: true });
  expect(await downgradeMigration(directory)).toMatchObject({
    state_directories: [{ status: "refused", reason: named }],
  });
});
