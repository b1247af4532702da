import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { extractArchivedStates, listArchivedStates, readData } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { ON_LINUX } from "../../../../test/needs.ts";
import { freshFolder } from "../support/folder.ts";
import { nameFromBytes, nameFromText, shownName } from "../../src/archive/tree/entry_name.ts";

test.each(["ann", "Jürgen", "日本", "\u{1f600}", "a\ufffdb", "\\xff", "\ufeffx", "\u{10ffff}"])(
  "%s is shown as it is",
  (name) => {
    expect(shownName(nameFromText(name))).toBe(name);
  },
);

test.each([
  ["4afc7267656e", "J\\xfcrgen"],
  ["ff", "\\xff"],
  ["c3a4ffc3a4", "ä\\xffä"],
  ["efbfbdff", "\ufffd\\xff"],
  ["c080", "\\xc0\\x80"],
  ["eda080", "\\xed\\xa0\\x80"],
  ["e697", "\\xe6\\x97"],
  ["f4908080", "\\xf4\\x90\\x80\\x80"],
])("the bytes %s that are not UTF-8 are shown as %s", (hex, shown) => {
  expect(shownName(nameFromBytes(Buffer.from(hex, "hex")))).toBe(shown);
});

test("a directory and a state whose names are not UTF-8 are archived, listed and extracted", ON_LINUX, async () => {
  const folder = freshFolder();
  const states = join(folder, "empathy_state");
  const below = (...parts: (string | number)[]): Buffer =>
    Buffer.concat([states, ...parts].map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.of(part))));
  mkdirSync(states);
  mkdirSync(below("/d", 0xff));
  const state = '{"trust_level": 0.5}';
  for (const path of [below("/d", 0xff, "/x.json"), below("/u", 0xfe, ".json"), below("/ann.json")])
    writeFileSync(path, state);
  expect(await migrate(folder)).toMatchObject({ exit_code: 0, state_directories: [{ status: "archived" }] });
  const archive = `${states}.v15.sqlar`;
  const users = ["ann", "u\\xfe"];
  expect([...listArchivedStates(archive)].map(({ user_id }) => user_id)).toEqual(users);
  const read = (target: string): Promise<string[]> =>
    readData(target, {}, async ({ stateDirectories, archives }) =>
      [...stateDirectories, ...archives].flatMap((source) => [...source.read()].map(({ user_id }) => user_id)),
    );
  expect([(await read(states)).toSorted(), await read(archive)]).toEqual([users, users]);
  await extractArchivedStates(archive, join(folder, "extracted"));
  const [before, after] = [states, join(folder, "extracted")].map((path) =>
    readdirSync(path, { recursive: true, encoding: "latin1" }).toSorted(),
  );
  expect(after).toEqual(before);
});
