import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  downgradeMigration,
  migrationStatus,
  planMigration,
  pruneMigration,
  verifyMigration,
} from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { markPruned } from "../../src/archive/format/pruned_mark.ts";
import { change } from "../support/archived_states.ts";
import { freshFolder } from "../support/folder.ts";
import { FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { layOutStates } from "../../../../fixtures/lay_out.ts";

/** A pruned state directory; with a database, which is not archived, the directory stays. Without reports. */
async function pruned(withDatabase: boolean): Promise<{ folder: string; directory: string; entries: number }> {
  const folder = freshFolder();
  const directory = join(folder, "empathy_state");
  layOutStates("field", directory);
  const entries = readdirSync(directory).length;
  if (withDatabase) makeDatabase(join(directory, "metrics.db"), FIELD_A);
  expect(await migrate(folder)).toMatchObject({ exit_code: 0 });
  expect(await pruneMigration(folder)).toMatchObject({ exit_code: 0, state_directories: [{ status: "pruned" }] });
  for (const name of readdirSync(folder)) if (name.includes("-report")) rmSync(join(folder, name));
  expect(existsSync(directory)).toBe(withDatabase);
  return { folder, directory, entries };
}

test.each([true, false])(
  "the removed entries do not count as differences, with other files: %s",
  async (withDatabase) => {
    const { folder, entries } = await pruned(withDatabase);
    const notes = [`${entries} entries were removed by prune, and are in the archive`];
    expect(await verifyMigration(folder)).toMatchObject({
      exit_code: 0,
      state_directories: [{ status: "verified", reason: null, differences: [], notes }],
    });
    const status = await migrationStatus(folder);
    expect(status).toMatchObject({ state_directories: [{ status: "nothing_to_do", reason: null, notes }] });
    expect(status.summary).not.toContain("to migrate");
    expect((await planMigration(folder)).summary).not.toContain("to migrate");
  },
);

test("a damaged archive is a difference also after prune", async () => {
  const { folder, directory } = await pruned(false);
  change(`${directory}.v15.sqlar`, "UPDATE entries SET sha256 = '' WHERE kind = 'file'");
  expect(await verifyMigration(folder)).toMatchObject({ exit_code: 4, state_directories: [{ status: "differs" }] });
});

test("an entry that a program saved after prune is a difference, and is archived by up", async () => {
  const { folder, directory } = await pruned(true);
  writeFileSync(join(directory, "new.json"), "{}");
  expect(await verifyMigration(folder)).toMatchObject({
    exit_code: 4,
    state_directories: [{ differences: ["new.json is only in the directory"] }],
  });
  expect(await migrationStatus(folder)).toMatchObject({ state_directories: [{ status: "planned" }] });
  expect(await migrate(folder)).toMatchObject({ exit_code: 0, state_directories: [{ status: "archived" }] });
});

test.each([true, false])("after down, a missing entry is a difference again: %s", async (withDatabase) => {
  const { folder, directory } = await pruned(withDatabase);
  expect(await downgradeMigration(folder)).toMatchObject({ exit_code: 0, state_directories: [{ status: "restored" }] });
  const first = readdirSync(directory).find((name) => name.endsWith(".json")) as string;
  rmSync(join(directory, first));
  expect(await verifyMigration(directory)).toMatchObject({
    exit_code: 4,
    state_directories: [{ differences: [`${first} is only in the archive`] }],
  });
});

test("a prune that removes nothing leaves no mark", async () => {
  const folder = freshFolder();
  const directory = join(folder, "empathy_state");
  layOutStates("field", directory);
  await migrate(folder);
  const archive = `${directory}.v15.sqlar`;
  const before = readFileSync(archive);
  expect(await pruneMigration(folder, { dryRun: true })).toMatchObject({ exit_code: 0 });
  writeFileSync(join(directory, "new.json"), "{}");
  expect(await pruneMigration(folder)).toMatchObject({ exit_code: 3 });
  expect(readFileSync(archive).equals(before)).toBe(true);
});

test("the mark changes only the header of the archive, and leaves no file", async () => {
  const folder = freshFolder();
  const directory = join(folder, "empathy_state");
  layOutStates("field", directory);
  await migrate(folder);
  const archive = `${directory}.v15.sqlar`;
  const [before, names] = [readFileSync(archive), readdirSync(folder)];
  chmodSync(archive, 0o640);
  expect(markPruned(archive, true)).toBeNull();
  const marked = readFileSync(archive);
  expect(marked.equals(before)).toBe(false);
  expect(marked.subarray(100).equals(before.subarray(100))).toBe(true);
  expect(markPruned(archive, false)).toBeNull();
  const unmarked = readFileSync(archive);
  // Except for the counters of changes, at 24 and 92, and the version of SQLite at 96.
  for (const [from, to] of [
    [0, 24],
    [28, 92],
    [100, before.length],
  ] as const)
    expect(unmarked.subarray(from, to).equals(before.subarray(from, to)), `bytes from ${from}`).toBe(true);
  expect(readdirSync(folder)).toEqual(names);
});
