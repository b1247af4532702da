import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pruneMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import type { MigrationReport } from "../../src/core/report.ts";
import { freshFolder } from "../support/folder.ts";
import { FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { makeUnusualStates, stateText } from "../../../../test/legacy/unusual_states.ts";

/** An archived directory of states, optionally with a database in it. */
async function archived(withDatabase = false): Promise<string> {
  const directory = join(freshFolder(), "data");
  makeUnusualStates(directory);
  if (withDatabase) makeDatabase(join(directory, "metrics.db"), FIELD_A);
  expect((await migrate(directory)).exit_code).toBe(0);
  return directory;
}

/** Prunes, and calls a function after the comparison, before anything is removed. */
function prunedWhile(directory: string, act: () => void): Promise<MigrationReport> {
  let isDone = false;
  return pruneMigration(directory, {
    onProgress: ({ stage }) => {
      if (stage === "prune" && !isDone) act();
      isDone ||= stage === "prune";
    },
  });
}

test.each([
  ["a new state", "late.json", /late\.json is only in the directory/],
  ["another state", "alice.json", /alice\.json has different content/],
])("keeps everything if %s is written after the comparison", async (_what, name, words) => {
  const directory = await archived();
  const report = await prunedWhile(directory, () => writeFileSync(join(directory, name), stateText("late", 1)));
  expect(report).toMatchObject({
    exit_code: 5,
    state_directories: [{ status: "in_use", removed: 0, reason: expect.stringMatching(words) }],
  });
  expect(readFileSync(join(directory, name), "utf8")).toBe(stateText("late", 1));
  expect(existsSync(join(directory, "bob.json"))).toBe(true);
  rmSync(join(directory, name));
  expect((await verifyMigration(directory)).state_directories[0]?.differences.length).toBeLessThanOrEqual(1);
});

test("keeps entries written after the comparison next to a database, and removes the others", async () => {
  const directory = await archived(true);
  const report = await prunedWhile(directory, () => {
    writeFileSync(join(directory, "alice.json"), stateText("late", 1));
    writeFileSync(join(directory, "inner", "late.txt"), "late");
  });
  expect(report).toMatchObject({ exit_code: 0, state_directories: [{ status: "pruned", removed: 8 }] });
  expect(readFileSync(join(directory, "alice.json"), "utf8")).toBe(stateText("late", 1));
  expect(readFileSync(join(directory, "inner", "late.txt"), "utf8")).toBe("late");
  expect(existsSync(join(directory, "bob.json"))).toBe(false);
});
