import { existsSync, linkSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate, pruneMigration } from "../../src/index.ts";
import { archived } from "../support/archived_states.ts";
import { freshFolder } from "../support/folder.ts";
import { makeOddStates } from "../support/odd_states.ts";
import { endOf, runProcess, startCli } from "../support/program.ts";

test.each(["compare", "prune"])("who comes too late while at %s has nothing to do", async (at) => {
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
    state_directories: [{ status: "nothing_to_do", removed: 0, reason: expect.stringContaining("another run") }],
  });
  expect(readdirSync(folder).filter((name) => name.includes("perdura-tmp"))).toEqual([]);
});

test("of two that start together none fails", async () => {
  const { folder, directory } = await archived();
  const codes = await Promise.all([1, 2].map(() => endOf(startCli("prune", "--yes", folder))));
  expect([0, 5]).toEqual(expect.arrayContaining(codes));
  expect(codes).toContain(0);
  expect(existsSync(directory)).toBe(false);
});

test("a file with a second name is archived as a file of its own, and that is said", async () => {
  const directory = join(freshFolder(), "empathy_state");
  makeOddStates(directory);
  linkSync(join(directory, "alice.json"), join(directory, "again.json"));
  expect(await migrate(directory)).toMatchObject({
    state_directories: [
      { status: "archived", notes: ["with a second name: 2 files; the archive holds each as a file of its own"] },
    ],
  });
});
