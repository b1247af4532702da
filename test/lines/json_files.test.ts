import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  chmodSync,
  lstatSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LINES } from "./both_lines.ts";
import { freshFolder } from "../fresh_folder.ts";

describe.for(LINES)("pattern library files in $name", ({ line }) => {
  const { PatternLibrary, PatternPersistence, isPerduraError } = line;

  function write(content: string | Uint8Array): string {
    const file = join(freshFolder(), "library.json");
    writeFileSync(file, content);
    return file;
  }

  /** Loads and returns the error, which must be perdura's own. */
  function failure(content: string | Uint8Array): { code: string; message: string } & Record<string, unknown> {
    const file = write(content);
    const before = readFileSync(file);
    try {
      PatternPersistence.loadFromJson(file);
    } catch (error) {
      expect(readFileSync(file)).toEqual(before);
      if (isPerduraError(error)) return error as never;
      throw error;
    }
    throw new Error("The file was accepted.");
  }

  test("hold only the keys and fields of the specification", () => {
    const file = join(freshFolder(), "library.json");
    const library = new PatternLibrary({ clock: () => new Date("2026-01-02T03:04:05.678Z") });
    library.contribute("agent", { id: "p", pattern_type: "t", name: "n" });
    PatternPersistence.saveToJson(library, file);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      patterns: [
        {
          id: "p",
          agent_id: "agent",
          pattern_type: "t",
          name: "n",
          description: null,
          context: null,
          code: null,
          confidence: 0.5,
          usage_count: 0,
          success_count: 0,
          failure_count: 0,
          tags: null,
          discovered_at: null,
          last_used: null,
        },
      ],
      agent_contributions: { agent: ["p"] },
      metadata: { saved_at: "2026-01-02T03:04:05", pattern_count: 1, version: "1.0" },
    });
  });

  test("replace the existing file completely, keep its mode and a link to it, and leave no temporary file", () => {
    const directory = freshFolder();
    const target = join(directory, "real.json");
    writeFileSync(target, "old");
    chmodSync(target, 0o640);
    const link = join(directory, "link.json");
    symlinkSync(target, link);
    PatternPersistence.saveToJson(new PatternLibrary(), link);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(PatternPersistence.loadFromJson(target).size).toBe(0);
    expect(statSync(target).mode & 0o777).toBe(0o640);
    expect(readdirSync(directory).sort()).toEqual(["link.json", "real.json"]);
  });

  test("are unchanged when the library cannot be written", () => {
    const directory = freshFolder();
    const file = join(directory, "library.json");
    writeFileSync(file, "old");
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, new Date(), () => 1, new Map(), Symbol("s")]) {
      const library = new PatternLibrary();
      library.contribute("a", { id: "fine", pattern_type: "t", name: "n" });
      library.contribute("a", { id: "bad", pattern_type: "t", name: "n", context: { inner: [] } }).context = {
        inner: [bad],
      } as never;
      expect(() => PatternPersistence.saveToJson(library, file)).toThrow(/"bad".*\/inner\/0.*Nothing was written/s);
    }
    expect(readFileSync(file, "utf8")).toBe("old");
    expect(readdirSync(directory)).toEqual(["library.json"]);
  });

  test("that are missing cause a FileNotFoundError on load, as does a missing directory on save", () => {
    const directory = freshFolder();
    const file = join(directory, "none.json");
    expect(() => PatternPersistence.loadFromJson(file)).toThrow(
      expect.objectContaining({ name: "FileNotFoundError", code: "PERDURA_FILE_NOT_FOUND", path: file }),
    );
    expect(existsSync(file)).toBe(false);
    expect(() => PatternPersistence.saveToJson(new PatternLibrary(), join(directory, "no", "x.json"))).toThrow(
      /directory .*no does not exist/,
    );
    mkdirSync(file);
    expect(() => PatternPersistence.saveToJson(new PatternLibrary(), file)).toThrow(/is a directory/);
  });

  test.for([
    ['{\n  "patterns": [NaN]\n}', 2, 16, /the token NaN/],
    ['{"patterns": [\r\n-Infinity]}', 2, 1, /-Infinity/],
    ['{"a":\rInfinity}', 2, 1, /Infinity/],
    ["", 1, 1, /end of the text/],
    ['{"patterns": [', 1, 15, /end of the text/],
    ['{"patterns": [],}', 1, 17, /name in double quotes/],
    ['{"a" 1}', 1, 6, /":"/],
    ["[1 2]", 1, 4, /","/],
    ["[01]", 1, 3, /","/],
    ["{} {}", 1, 4, /end of the text/],
    ['["a\tb"]', 1, 4, /control character/],
    ['["\\x"]', 1, 3, /escape/],
    ['["open', 1, 7, /inside a string/],
    ["[tru]", 1, 2, /a value/],
  ] as const)(
    "that are not JSON cause a JSONDecodeError with line and column: %j",
    ([content, row, column, reason]) => {
      expect(failure(content)).toMatchObject({
        name: "JSONDecodeError",
        line: row,
        column,
        message: expect.stringMatching(reason),
      });
    },
  );

  test("that are not UTF-8 are refused with the invalid byte, and a byte order mark is accepted", () => {
    expect(failure(Buffer.from('{"patterns": "\n caf\xe9"}', "latin1"))).toMatchObject({
      name: "JSONDecodeError",
      line: 2,
      column: 5,
      message: expect.stringContaining("0xe9"),
    });
    expect(PatternPersistence.loadFromJson(write('\ufeff{"patterns": []}')).size).toBe(0);
  });

  test.for([
    ["[]", ""],
    ["{}", ""],
    ['{"patterns": {}}', "/patterns"],
    ['{"patterns": [1]}', "/patterns/0"],
    ['{"patterns": [{"id":"p","agent_id":"a","pattern_type":"t"}]}', "/patterns/0"],
    ['{"patterns": [{"id":"","agent_id":"a","pattern_type":"t","name":"n"}]}', "/patterns/0/id"],
    ['{"patterns": [{"id":"p","agent_id":"\\u0000","pattern_type":"t","name":"n"}]}', "/patterns/0/agent_id"],
    ['{"patterns": [{"id":"\\ud800","agent_id":"a","pattern_type":"t","name":"n"}]}', "/patterns/0/id"],
    [
      '{"patterns": [{"id":"p","agent_id":"a","pattern_type":"t","name":"n","confidence":"high"}]}',
      "/patterns/0/confidence",
    ],
    [
      '{"patterns": [{"id":"p","agent_id":"a","pattern_type":"t","name":"n","confidence":1e400}]}',
      "/patterns/0/confidence",
    ],
    [
      '{"patterns": [{"id":"p","agent_id":"a","pattern_type":"t","name":"n","usage_count":1.5}]}',
      "/patterns/0/usage_count",
    ],
    [
      '{"patterns": [{"id":"p","agent_id":"a","pattern_type":"t","name":"n","usage_count":9007199254740993}]}',
      "/patterns/0/usage_count",
    ],
    ['{"patterns": [{"id":"p","agent_id":"a","pattern_type":"t","name":"n","tags":[1]}]}', "/patterns/0/tags/0"],
    ['{"patterns": [{"id":"p","agent_id":"a","pattern_type":"t","name":"n","context":[]}]}', "/patterns/0/context"],
    [
      '{"patterns": [{"id":"p","agent_id":"a","pattern_type":"t","name":"n","last_used":"2026-01-01T00:00:00Z"}]}',
      "/patterns/0/last_used",
    ],
    [
      '{"patterns": [{"id":"p","agent_id":"a","pattern_type":"t","name":"n","discovered_at":"2025-02-29T00:00:00"}]}',
      "/patterns/0/discovered_at",
    ],
    [
      '{"patterns": [{"id":"p","agent_id":"a","pattern_type":"t","name":"n"},{"id":"p","agent_id":"a","pattern_type":"t","name":"n"}]}',
      "/patterns/1/id",
    ],
    ['{"patterns": [], "agent_contributions": {"a": "p"}}', "/agent_contributions/a"],
    ['{"patterns": [], "metadata": {"version": 1}}', "/metadata/version"],
  ] as const)("that are not a library cause a ValidationError with a JSON Pointer: %j", ([content, pointer]) => {
    expect(failure(content)).toMatchObject({ name: "ValidationError", pointer });
  });

  test.for([
    ['"usage_count":1.5', "/patterns/0/usage_count: expected integer or null, got 1.5"],
    ['"usage_count":1e300', "/patterns/0/usage_count: must be <= 9007199254740991, got 1e+300"],
    ['"confidence":"high"', '/patterns/0/confidence: expected number or null, got "high"'],
    ['"confidence":1e400', "/patterns/0/confidence: expected finite number or null, got Infinity"],
    ['"agent_id":7', "/patterns/0/agent_id: expected string, got 7"],
    ['"last_used":"2026"', "/patterns/0/last_used: expected a zone-less ISO 8601 timestamp"],
  ] as const)("that are not a library are refused with the expected and the found value: %j", ([member, reason]) => {
    const { message } = failure(`{"patterns": [{"id":"p","agent_id":"a","pattern_type":"t","name":"n",${member}}]}`);
    expect(message).toContain(`library.json: not a pattern library: ${reason}`);
    expect(message).toMatch(/$/);
  });

  test("of another format version are refused with the found and the supported version", () => {
    for (const version of ["2.0", "1", "0.9", "1.0.0", ""]) {
      const { name, message } = failure(
        JSON.stringify({ patterns: "anything", metadata: { version } }),
      ) as never as Error;
      expect(name).toBe("UnsupportedFormatError");
      expect(message).toContain(JSON.stringify(version));
      expect(message).toContain("1.x");
    }
    expect(
      PatternPersistence.loadFromJson(write('{"patterns": [], "metadata": {"version": "1.7", "new": 1}, "more": 2}'))
        .size,
    ).toBe(0);
  });

  test("without contributions list each pattern under its owner", () => {
    const loaded = PatternPersistence.loadFromJson(
      write('{"patterns": [{"id":"p","agent_id":"a","pattern_type":"t","name":"n"}]}'),
    );
    expect(loaded.agentContributions).toEqual(new Map([["a", ["p"]]]));
  });
});
