import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeUserId } from "@perdura/internals/state/file_names.js";
import { expect, test } from "vitest";
import { planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";

const STATE = '{"user_id": "alice", "trust_level": 0.5}';

/** The state directories that a plan finds in a directory with these files. */
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

test("finds a state after many other files", async () => {
  const others = Array.from({ length: 150 }, (_, number) => [`a${number}.json`, "{}"]);
  expect(await foundAmong({ ...Object.fromEntries(others), "z.json": STATE.replace("alice", "z") })).toEqual([""]);
});

test("archives a nested directory whose name is not UTF-8", async () => {
  const folder = freshFolder();
  const states = join(folder, "empathy_state");
  const inner = Buffer.concat([Buffer.from(`${states}/`), Buffer.from([0x49, 0xff, 0xfe])]);
  mkdirSync(inner, { recursive: true });
  writeFileSync(Buffer.concat([inner, Buffer.from("/a.txt")]), "inside");
  writeFileSync(join(states, "alice.json"), STATE);
  const report = await migrate(folder, { saveReport: false });
  expect(report).toMatchObject({ exit_code: 0, refused: [], state_directories: [{ status: "archived", entries: 3 }] });
});

/** The state directories that a plan finds at these places, each with files in it. */
async function foundIn(places: Record<string, Record<string, string>>): Promise<string[]> {
  const folder = freshFolder();
  for (const [place, files] of Object.entries(places)) {
    mkdirSync(join(folder, place), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, place, name), text);
  }
  const { state_directories: found, left_alone: left } = await planMigration(folder);
  return [
    ...found.map(({ path }) => path.slice(folder.length + 1)),
    ...left.flatMap(({ path, reason }) => (/--states/.test(reason) ? [`${path.slice(folder.length + 1)}?`] : [])),
  ];
}

test("recognises a directory named state only if a file in it looks like a state", async () => {
  const found = await foundIn({
    "app/state": { "settings.json": '{"theme": "dark"}' },
    "data/state": { "settings.json": '{"theme": "dark"}', "renamed.json": STATE },
    "none/state": { "notes.txt": "notes" },
  });
  expect(found).toEqual(["data/state", "app/state?"]);
});

test.each(["empathy_state", "attune_state", ".empathy/state", ".attune/state"])(
  "recognises %s with any content",
  async (name) => {
    expect(await foundIn({ [name]: { "a.json": '{"user_id": "a", "tru' } })).toEqual([name]);
  },
);

test("does not recognise a directory by the state of a user other than its file name says", async () => {
  const proj = { "fixture.json": STATE, "package.json": "{}" };
  expect(await foundIn({ proj })).toEqual(["proj?"]);
  expect(await foundAmong(proj)).toEqual([]);
  const folder = freshFolder();
  writeFileSync(join(folder, "fixture.json"), STATE);
  expect(await planMigration(folder, { stateDirectories: [folder] })).toMatchObject({
    state_directories: [{ path: folder, entries: 1 }],
  });
});

test.each([
  ["an encoded name", "%41nna.json", '"Anna"'],
  ["a name that is decomposed", "Zoe\u0308.json", '"Zo\u00eb"'],
  ["a number", "5.json", "5"],
  ["a raw name", "a%41 .json", '"a%41 "'],
])("takes the user of a state from its file name: %s", async (_what, name, user) => {
  expect(await foundIn({ people: { "0.json": STATE, [name]: `{"trust_level": 1, "user_id": ${user}}` } })).toEqual([
    "people",
  ]);
});

test("takes a long user id from the file next to the state", async () => {
  const user = "\u00e4".repeat(200);
  const stem = encodeUserId(user);
  expect(stem).toMatch(/^%~/);
  const people = { [`${stem}.json`]: JSON.stringify({ user_id: user, trust_level: 1 }), [`${stem}.id`]: user };
  expect(await foundIn({ people })).toEqual(["people"]);
});
