import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate, planMigration } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";

const STATE = '{"user_id": "alice", "trust_level": 0.5}';

/** The state directories that a plan finds in a directory that holds these files. */
async function foundAmong(files: Record<string, string>): Promise<string[]> {
  const folder = join(freshFolder(), "data");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { state_directories: found } = await planMigration(folder);
  return found.map(({ path }) => path.slice(folder.length));
}

test.each([
  ["a pattern library", { patterns: { p: { context: { user_id: "a", trust_level: 1 } } }, agent_contributions: {} }],
  ["a list of users", { users: [{ user_id: "a", trust_level: 1 }] }],
  ["a text that mentions the keys", { note: '"user_id": 1, "trust_level": 1, \\' }],
  ["a library with keys of its own", { user_id: "a", trust_level: 1, patterns: {} }],
])("%s does not make a state directory", async (_what, document) => {
  expect(await foundAmong({ "a.json": JSON.stringify(document), "b.json": JSON.stringify(document, null, 2) })).toEqual(
    [],
  );
});

test.each([
  ["keys in any order", '{"context": {"x": [1, {"y": "}"}]}, "trust_level": 1, "user_id": "a"}'],
  ["a file that was cut in half", '\ufeff{"user_id": "a", "trust_level": 0.'],
  ["a key that is escaped", '{"user\\u005fid": "a", "trust_level": 1}'],
])("%s make a state directory", async (_what, text) => {
  expect(await foundAmong({ "a.json": text })).toEqual([""]);
});

test("a state is found behind however many files that are none", async () => {
  const others = Array.from({ length: 150 }, (_, number) => [`a${number}.json`, "{}"]);
  expect(await foundAmong({ ...Object.fromEntries(others), "z.json": STATE })).toEqual([""]);
});

test("a directory among the states whose name is not UTF-8 is part of them", async () => {
  const folder = freshFolder();
  const states = join(folder, "empathy_state");
  const inner = Buffer.concat([Buffer.from(`${states}/`), Buffer.from([0x49, 0xff, 0xfe])]);
  mkdirSync(inner, { recursive: true });
  writeFileSync(Buffer.concat([inner, Buffer.from("/a.txt")]), "inside");
  writeFileSync(join(states, "alice.json"), STATE);
  const report = await migrate(folder, { saveReport: false });
  expect(report).toMatchObject({ exit_code: 0, refused: [], state_directories: [{ status: "archived", entries: 3 }] });
});
