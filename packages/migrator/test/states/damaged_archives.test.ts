import { chmodSync, chownSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration, pruneMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { archived, change } from "../support/archived_states.ts";
import { treeStamp } from "../../../../test/tree_stamp.ts";

/** Inserts a name into both tables, as in a complete archive. */
const insert = (name: string): string => `
  INSERT INTO sqlar SELECT '${name}', mode, mtime, sz, data FROM sqlar WHERE name = 'inner/notes.txt';
  INSERT INTO entries SELECT '${name}', kind, mtime_ns, uid, gid, sha256 FROM entries WHERE name = 'inner/notes.txt';`;

test.each([
  ["a name outside of the directory", insert("../evil"), /cannot be restored/],
  ["a name without a parent", insert("nowhere/x"), /cannot be restored/],
  ["a name below a link", insert("to inner/x"), /cannot be restored/],
  ["an owner as text", "UPDATE entries SET uid = 'x'", /has an invalid value/],
  ["a group that no system has", "UPDATE entries SET gid = 1 << 40", /has an invalid value/],
  ["an invalid time", "UPDATE entries SET mtime_ns = 1.5", /has an invalid value/],
  ["an invalid owner of the directory", "UPDATE directory SET uid = -2", /directory .* has an invalid value/],
  ["an invalid mode of the directory", "UPDATE directory SET mode = 'x'", /directory .* has an invalid value/],
  ["an invalid time of the directory", "UPDATE directory SET mtime_ns = 'x'", /directory .* has an invalid value/],
  ["a content as text", "UPDATE sqlar SET data = 'x', sz = 1 WHERE name = 'alice.json'", /different kinds/],
])("refuses to prune with %s in the archive, and verify reports it", async (_what, sql, words) => {
  const { directory, archive } = await archived();
  change(archive, sql);
  const before = treeStamp(directory);
  expect(await verifyMigration(directory)).toMatchObject({
    exit_code: 4,
    state_directories: [{ status: "differs", differences: [expect.stringMatching(words)] }],
  });
  expect(await pruneMigration(directory)).toMatchObject({
    exit_code: 3,
    state_directories: [{ status: "refused", reason: expect.stringMatching(words) }],
  });
  expect(treeStamp(directory)).toBe(before);
  rmSync(directory, { recursive: true });
  expect(await downgradeMigration(directory)).toMatchObject({
    exit_code: 3,
    state_directories: [{ status: "refused", reason: expect.stringMatching(words) }],
  });
  expect(existsSync(directory)).toBe(false);
});

test("a different owner or mode is not a difference, and up archives it", async () => {
  const { directory } = await archived();
  if (process.geteuid?.() === 0)
    for (const path of [directory, join(directory, "alice.json")]) chownSync(path, 4242, 4243);
  for (const path of [directory, join(directory, "alice.json")]) chmodSync(path, 0o700);
  const before = treeStamp(directory);
  const notes = expect.arrayContaining([
    "2 entries with a different owner or mode in the archive: the directory itself, alice.json",
  ]);
  expect(await verifyMigration(directory)).toMatchObject({
    exit_code: 0,
    state_directories: [{ status: "verified", differences: [], notes }],
  });
  expect(await planMigration(directory)).toMatchObject({ state_directories: [{ status: "planned" }] });
  expect(await downgradeMigration(directory)).toMatchObject({
    exit_code: 0,
    state_directories: [{ status: "nothing_to_do" }],
  });
  expect(treeStamp(directory)).toBe(before);
  expect(await pruneMigration(directory)).toMatchObject({ exit_code: 0, state_directories: [{ status: "pruned" }] });
  expect(existsSync(directory)).toBe(false);
});
