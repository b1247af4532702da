import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pruneMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import type { ProgressEvent } from "../../src/core/progress.ts";
import { freshFolder } from "../support/folder.ts";
import { makeUnusualStates, stateText, writeOfMany } from "../../../../test/legacy/unusual_states.ts";
import { treeStamp } from "../../../../test/tree_stamp.ts";

/** Unusual names and broken states at the beginning and at the end, with more than a thousand others between them. */
function makeStates(): string {
  const directory = join(freshFolder(), "empathy_state");
  makeUnusualStates(directory);
  makeUnusualStates(join(directory, "zz"));
  for (let user = 0; user < 1100; user += 1)
    writeOfMany(join(directory, `user-${user}.json`), user % 1000 === 0 ? "{" : stateText(`user-${user}`, user / 1100));
  return directory;
}

test("a directory with many entries is archived, verified, pruned and restored completely", async () => {
  const directory = makeStates();
  const before = treeStamp(directory);
  const events: ProgressEvent[] = [];
  const report = await migrate(directory, { onProgress: (event) => events.push(event) });
  expect(report).toMatchObject({
    exit_code: 0,
    state_directories: [{ status: "archived", entries: 1121, states_ok: 1098 + 3 }],
  });
  expect(report.state_directories[0]?.states_broken.map(({ file }) => file)).toEqual([
    "0 dangling.json",
    "inner-more.json",
    ...[0, 1000].map((user) => `user-${user}.json`),
    "zz link.json",
  ]);
  expect(Math.max(...events.map(({ done }) => done ?? 0))).toBeLessThanOrEqual(1121);
  expect(await verifyMigration(directory)).toMatchObject({ exit_code: 0, state_directories: [{ status: "verified" }] });
  expect(await pruneMigration(directory)).toMatchObject({ exit_code: 0 });
  expect(await downgradeMigration(directory)).toMatchObject({ exit_code: 0 });
  expect(treeStamp(directory)).toBe(before);
});

test.each([
  ["once", 1, 0],
  ["again and again", 9, 5],
])("detects a change while a directory is archived, %s", async (_what, times, code) => {
  const directory = makeStates();
  let written = 0;
  const report = await migrate(directory, {
    onProgress: ({ stage, done }) => {
      if (stage !== "read_back" || done !== null || written === times) return;
      written += 1;
      writeFileSync(join(directory, "zz", "alice.json"), stateText("alice", written / 10));
    },
  });
  expect(report.exit_code).toBe(code);
  if (code === 0) return expect(await verifyMigration(directory)).toMatchObject({ exit_code: 0 });
  expect(report.state_directories).toMatchObject([
    { status: "in_use", reason: expect.stringContaining("zz/alice.json has different content") },
  ]);
  expect(readdirSync(join(directory, ".."))).toEqual(["empathy_state"]);
});

test("archives files that were added after the plan", async () => {
  const directory = makeStates();
  let isWritten = false;
  const report = await migrate(directory, {
    onProgress: ({ stage }) => {
      if (stage !== "archive" || isWritten) return;
      isWritten = true;
      mkdirSync(join(directory, "late"));
    },
  });
  expect(report).toMatchObject({ exit_code: 0, state_directories: [{ status: "archived", entries: 1122 }] });
});
