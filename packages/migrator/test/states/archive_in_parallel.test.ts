import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { migrate, pruneMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import type { ProgressEvent } from "../../src/core/progress.ts";
import { freshFolder } from "../support/folder.ts";
import { makeUnusualStates, stateText, writeOfMany } from "../support/unusual_states.ts";
import { treeStamp } from "../support/tree_stamp.ts";

/** Enough entries for two processes; both halves contain unusual names and broken states. */
function makeSharedStates(): string {
  const directory = join(freshFolder(), "empathy_state");
  makeUnusualStates(directory);
  makeUnusualStates(join(directory, "zz"));
  for (let user = 0; user < 5000; user += 1)
    writeOfMany(join(directory, `user-${user}.json`), user % 1000 === 0 ? "{" : stateText(`user-${user}`, user / 5000));
  return directory;
}

test("a directory whose work is shared by two processes is archived, verified, pruned and restored like any other", async () => {
  const directory = makeSharedStates();
  const before = treeStamp(directory);
  const events: ProgressEvent[] = [];
  const report = await migrate(directory, { onProgress: (event) => events.push(event) });
  expect(report).toMatchObject({
    exit_code: 0,
    state_directories: [{ status: "archived", entries: 5021, states_ok: 4995 + 3 }],
  });
  expect(report.state_directories[0]?.states_broken.map(({ file }) => file)).toEqual([
    "0 dangling.json",
    "inner-more.json",
    ...[0, 1000, 2000, 3000, 4000].map((user) => `user-${user}.json`),
    "zz link.json",
  ]);
  expect(Math.max(...events.map(({ done }) => done ?? 0))).toBeLessThanOrEqual(5021);
  expect(await verifyMigration(directory)).toMatchObject({ exit_code: 0, state_directories: [{ status: "verified" }] });
  expect(await pruneMigration(directory)).toMatchObject({ exit_code: 0 });
  expect(await downgradeMigration(directory)).toMatchObject({ exit_code: 0 });
  expect(treeStamp(directory)).toBe(before);
});

test.each([
  ["once", 1, 0],
  ["again and again", 9, 5],
])("detects a change in the second half %s while it is archived", async (_what, times, code) => {
  const directory = makeSharedStates();
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
  const directory = makeSharedStates();
  let isWritten = false;
  const report = await migrate(directory, {
    onProgress: ({ stage }) => {
      if (stage !== "archive" || isWritten) return;
      isWritten = true;
      mkdirSync(join(directory, "late"));
    },
  });
  expect(report).toMatchObject({ exit_code: 0, state_directories: [{ status: "archived", entries: 5022 }] });
});

describe("a request to stop", () => {
  let directory: string;
  beforeAll(() => {
    directory = makeSharedStates();
  });

  test.each(["archive", "read_back"])("in the middle of %s ends both processes", async (stage) => {
    const controller = new AbortController();
    const report = await migrate(directory, {
      signal: controller.signal,
      onProgress: (event) => {
        if (event.stage === stage && event.done !== null) controller.abort();
      },
    });
    expect(report).toMatchObject({ exit_code: 130, state_directories: [{ status: "interrupted" }] });
    expect(readdirSync(join(directory, ".."))).toEqual(["empathy_state"]);
  });
});
