import { existsSync, linkSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pruneMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { archived } from "../support/archived_states.ts";
import { freshFolder } from "../support/folder.ts";
import { makeUnusualStates } from "../../../../test/legacy/unusual_states.ts";
import { endOf, runProcess, startCli } from "../support/program.ts";

test.each(["compare", "prune"])("has nothing to do if another run removed the directory during %s", async (at) => {
  const { folder, directory } = await archived();
  let isDone = false;
  const report = await pruneMigration(directory, {
    onProgress: ({ stage }) => {
      if (stage !== at || isDone) return;
      isDone = true;
      // Another complete run, in a separate process.
      expect(runProcess("prune", "--yes", directory).code).toBe(0);
    },
  });
  expect(report).toMatchObject({
    exit_code: 0,
    state_directories: [{ status: "nothing_to_do", removed: 0, reason: expect.stringContaining("Another run") }],
  });
  expect(readdirSync(folder).filter((name) => name.includes("perdura-tmp"))).toEqual([]);
});

test("two runs that start together both succeed", async () => {
  const { folder, directory } = await archived();
  const codes = await Promise.all([1, 2].map(() => endOf(startCli("prune", "--yes", folder))));
  expect([0, 5]).toEqual(expect.arrayContaining(codes));
  expect(codes).toContain(0);
  expect(existsSync(directory)).toBe(false);
});

test("archives a hard link as a separate file, and reports it", async () => {
  const directory = join(freshFolder(), "empathy_state");
  makeUnusualStates(directory);
  linkSync(join(directory, "alice.json"), join(directory, "again.json"));
  expect(await migrate(directory)).toMatchObject({
    state_directories: [
      { status: "archived", notes: ["2 files with several hard links; each is archived as a separate file"] },
    ],
  });
});
