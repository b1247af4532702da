import { linkSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { PatternPersistence } from "@perdura/v16";
import { downgradeMigration, planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";

const TEXT = `{"patterns": [
{"id":"p1","agent_id":"a","pattern_type":"w","name":"n","context":{"10":1,"2":2,"ratio":1.0,"e":1E5,"k":1,"k":2},"confidence":1.0},
{"id":"p2","agent_id":"a","pattern_type":"w","name":"n","context":{"x":NaN}}],
"agent_contributions":{"a":["p1","p2"]}}
`;

function libraryOf(text: string | Buffer, name = "patterns.json"): string {
  const path = join(freshFolder(), name);
  writeFileSync(path, text);
  return path;
}

test("a repair changes no other byte", async () => {
  const path = libraryOf(`\ufeff${TEXT.replaceAll("\n", "\r\n")}`);
  expect(await migrate(path, { nonFinite: "null" })).toMatchObject({ exit_code: 0 });
  expect(readFileSync(path, "utf8")).toBe(`\ufeff${TEXT.replaceAll("\n", "\r\n").replace("NaN", "null")}`);
  expect(PatternPersistence.loadFromJson(path).size).toBe(2);
});

test("a library with a second name is refused, also by down", async () => {
  const path = libraryOf(TEXT);
  const second = join(path, "..", "second.txt");
  linkSync(path, second);
  const before = stampOf(join(path, ".."));
  const refused = { exit_code: 3, databases: [{ reason: expect.stringContaining("2 hard links") }] };
  expect(await planMigration(path, { nonFinite: "null" })).toMatchObject(refused);
  // No decision would help.
  expect(await planMigration(path)).toMatchObject({
    ...refused,
    databases: [{ ...refused.databases[0], decisions: [] }],
  });
  expect(await migrate(path, { nonFinite: "null" })).toMatchObject(refused);
  expect(stampOf(join(path, ".."))).toBe(before);
  const other = libraryOf(TEXT);
  expect(await migrate(other, { nonFinite: "null" })).toMatchObject({ exit_code: 0 });
  linkSync(other, join(other, "..", "second.txt"));
  expect(await downgradeMigration(other)).toMatchObject({
    databases: [{ reason: expect.stringContaining("hard links") }],
  });
});

describe("a library that is cut off", () => {
  const [first] = /^\{\s*"patterns":/.exec(TEXT) as RegExpExecArray;
  const cuts = Array.from({ length: TEXT.length - first.length - 1 }, (_, at) =>
    TEXT.slice(0, first.length + at),
  ).filter((text) => !text.trimEnd().endsWith("}}"));

  test("is called cut wherever it ends, and no option is offered", async () => {
    const path = libraryOf("");
    for (const text of cuts.filter((_, at) => at % 7 === 0)) {
      writeFileSync(path, text);
      for (const options of [{}, { nonFinite: "null" }, { invalidRows: "quarantine" }] as const) {
        const { exit_code: code, databases } = await planMigration(path, options);
        expect([code, databases[0]?.pattern_choices]).toEqual([3, []]);
        expect(databases[0]?.reason).toMatch(
          /is cut off: the text ends (?:inside|after|before|in) .*Restore the file from a backup\.$/,
        );
      }
    }
  });

  test.each([
    [TEXT.slice(0, TEXT.indexOf('"x"')), "inside pattern 2"],
    [TEXT.slice(0, TEXT.indexOf("NaN") + 2), "inside pattern 2"],
    [Buffer.from(TEXT.replace('"n"', '"é')).subarray(0, TEXT.indexOf('"n"') + 2), "inside pattern 1"],
    [TEXT.slice(0, TEXT.indexOf('{"id":"p2"')), "after pattern 1"],
    [TEXT.slice(0, TEXT.indexOf('["p1"') + 5), "inside agent_contributions"],
  ])("names the place: %#", async (text, where) => {
    const { databases } = await planMigration(libraryOf(text));
    expect(databases[0]?.reason).toContain(`the text ends ${where} (`);
  });
});

test.each([
  '{"patterns":["a.*","b',
  '{"patterns":{"a":"x"',
  '{"patterns":[{"re":"a"},{"re":"b',
  '{"patterns":[{"re":"a"}]}',
  '{"patterns":[]}',
  '{"pat',
])("a document of another program is left alone, also if it is cut off: %s", async (text) => {
  expect(await planMigration(dirname(libraryOf(text)))).toMatchObject({
    exit_code: 0,
    left_alone: [{ reason: "not data of perdura" }],
  });
});

test("an empty file is called empty", async () => {
  expect(await planMigration(dirname(libraryOf("")))).toMatchObject({
    left_alone: [{ reason: "an empty file (0 bytes)" }],
  });
});

test.each([
  ["UTF-16LE", Buffer.from(`\ufeff${TEXT}`, "utf16le")],
  ["UTF-16LE", Buffer.from(TEXT, "utf16le")],
  ["UTF-16BE", Buffer.from(`\ufeff${TEXT}`, "utf16le").swap16()],
])("a library in %s is recognised, with a way out", async (encoding, bytes) => {
  for (const name of ["patterns.json", "library.dat", "patterns.json.old"]) {
    const { exit_code: code, databases } = await planMigration(libraryOf(bytes, name));
    expect(code).toBe(3);
    expect(databases[0]?.reason).toContain(`iconv -f ${encoding} -t UTF-8`);
  }
});

test.each(["library.dat", "patterns.json.old", "patterns.db", "noname"])(
  "a library named %s is migrated as a target",
  async (name) => {
    const path = libraryOf(TEXT, name);
    expect(await migrate(path, { nonFinite: "text", saveReport: false })).toMatchObject({
      exit_code: 0,
      databases: [{ status: "migrated" }],
    });
    expect(PatternPersistence.loadFromJson(path).size).toBe(2);
    expect(await downgradeMigration(path, { saveReport: false })).toMatchObject({ exit_code: 0 });
    expect(readFileSync(path, "utf8")).toBe(TEXT);
  },
);

test("contributions follow the ids that are given", async () => {
  const one = (id: string, agent: string): string =>
    `{"id": ${id}, "agent_id": ${agent}, "pattern_type": "t", "name": "n"}`;
  const path = libraryOf(
    `{"patterns": [${one('"x"', '"b"')}, ${one('""', '"a"')}, ${one("7", "7")}, ${one('"x"', '"a"')}, ${one('"y"', '""')}], "agent_contributions": {"a": ["", "x"], "b": ["x"], "7": [7], "": ["y", null]}}`,
  );
  expect(await migrate(path, { patternIds: "assign" })).toMatchObject({ exit_code: 0 });
  const { patterns, agentContributions } = PatternPersistence.loadFromJson(path);
  expect([...patterns.values()].map(({ id, agent_id: agent }) => [id, agent])).toEqual([
    ["x", "b"],
    ["pattern-1", "a"],
    ["7", "7"],
    ["x-2", "a"],
    ["y", "unknown"],
  ]);
  expect(Object.fromEntries(agentContributions)).toEqual({
    a: ["pattern-1", "x-2"],
    b: ["x"],
    7: ["7"],
    unknown: ["y"],
  });
});
