import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { parseArguments } from "../src/parse_arguments.ts";
import { UsageError } from "../src/usage_error.ts";
import { SAMPLE } from "./sample_program.ts";

const read = (words: readonly string[], environment: Record<string, string> = {}) =>
  parseArguments(SAMPLE.table, words, environment);

function faultOf(words: readonly string[], environment: Record<string, string> = {}): string {
  try {
    return JSON.stringify(read(words, environment));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.message;
  }
}

test("reads words and options in any order, up to --", () => {
  expect(read(["--tag", "1", "copy", "-t=x", "at:a", "--tag=2", "--force", "--", "--to"])).toEqual({
    kind: "run",
    command: "copy",
    words: ["at:a", "--to"],
    given: [
      { name: "tag", value: "1" },
      { name: "to", value: "=x" },
      { name: "tag", value: "2" },
      { name: "force", value: undefined },
    ],
  });
  expect(read(["show", "-q", "--json"])).toMatchObject({ given: [{ name: "quiet" }, { name: "json" }] });
  expect(read(["copy", "at:a", "--to=-x"])).toMatchObject({ given: [{ name: "to", value: "-x" }] });
});

test("help takes precedence, and completion takes a shell", () => {
  for (const words of [[], ["help"], ["--help"], ["-h", "--bogus"], ["help", "bogus"]])
    expect(read(words)).toEqual({ kind: "help", command: undefined });
  for (const words of [
    ["help", "copy"],
    ["copy", "--to", "-h"],
    ["--bogus", "copy", "--help"],
  ])
    expect(read(words)).toEqual({ kind: "help", command: "copy" });
  expect(faultOf(["copy", "--to", "x", "at:a", "--", "--help"])).toContain('"--help"');
  expect(read(["completion", "zsh"])).toEqual({ kind: "completion", shell: "zsh" });
});

test("an environment variable replaces a missing option or first word", () => {
  const environment = { SAMPLE_PLACE: "at:env", SAMPLE_WAY: "slow" };
  const seen = (...words: string[]) => read(["copy", "--to", "x", ...words], environment);
  expect(seen("one")).toMatchObject({ words: ["at:env", "one"], given: [{}, { name: "way", value: "slow" }] });
  expect(seen("at:given", "--way", "fast")).toMatchObject({ words: ["at:given"], given: [{}, { value: "fast" }] });
  expect(faultOf(["show"], { SAMPLE_WAY: "no" })).toBe('SAMPLE_WAY: expected fast or slow, got "no".');
  expect(faultOf(["show"], { SAMPLE_WAY: "", SAMPLE_PLACE: "" })).toContain('"given":[]');
});

test("a path whose bytes Node.js has replaced is refused, unless a file has this name", () => {
  const path = join(freshFolder(), "J\ufffdrgen.db");
  const reason = `${path}: no such file or directory. Its name has bytes that are not UTF-8`;
  const address = pathToFileURL(path).href.replace("%EF%BF%BD", "\ufffd");
  const uses = [
    ["copy", "--to", "x", "at:a", path],
    ["copy", "--to", path, "at:a"],
    ["copy", "--to", "x", "at:a", "one", address],
  ];
  for (const words of uses)
    expect(faultOf(words)).toContain(reason.replace(path, words.includes(address) ? address : path));
  writeFileSync(path, "");
  for (const words of uses) expect(read(words)).toMatchObject({ kind: "run" });
});

test("a path whose bytes Node.js has replaced is passed on if the system refuses to look", () => {
  const words = ["copy", "--to", "x", "at:a", join(freshFolder(), "\ufffd".repeat(300))];
  expect(read(words)).toMatchObject({ kind: "run" });
});

test("a name with U+FFFD is passed on where a word names no file", () => {
  expect(read(["copy", "--to", "x", "at:a", "--id", "J\ufffd"])).toMatchObject({ kind: "run" });
  expect(read(["copy", "--to", "x", "at:a", "s3://bucket/J\ufffd"])).toMatchObject({ kind: "run" });
  expect(read(["fail", "J\ufffd"])).toMatchObject({ kind: "run" });
});

describe("a last word from the environment", () => {
  const fromEnvironment = {
    placeholder: { word: "at:", env: "SAMPLE_AT" },
    pattern: /^at:/,
    expected: "a place that begins at:",
  };
  const { table } = SAMPLE;
  const TABLE: typeof table = {
    ...table,
    commands: {
      ...table.commands,
      fail: {
        ...table.commands.fail,
        words: [
          { name: "FROM", meaning: "a place", ...fromEnvironment },
          { name: "INTO", meaning: "another", ...fromEnvironment, env: "SAMPLE_AT" },
        ],
      },
      show: {
        ...table.commands.show,
        words: [{ name: "PLACE", meaning: "a place", repeatable: true, ...fromEnvironment, env: "SAMPLE_AT" }],
      },
    },
  };
  const wordsOf = (words: readonly string[], SAMPLE_AT?: string): string => {
    try {
      const request = parseArguments(TABLE, words, SAMPLE_AT === undefined ? {} : { SAMPLE_AT });
      return request.kind === "run" ? request.words.join(" ") : request.kind;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return error.message;
    }
  };

  test.each<[words: string[], value: string | undefined, seen: string]>([
    [["fail", "a"], "at:env", "a at:env"],
    [["fail", "a", "b"], "at:env", "a b"],
    [["fail", "at:", "b"], "at:env", "at:env b"],
    [["fail", "a", "at:"], "at:env", "a at:env"],
    [["fail", "at:", "b"], "", "at: b"],
    [["fail", "at:", "b"], undefined, "at: b"],
    [["show"], "at:env", "at:env"],
    [["show", "at:a", "at:"], "at:env", "at:a at:env"],
  ])("%j with %j is read as %s", (words, value, seen) => {
    expect(wordsOf(words, value)).toBe(seen);
  });

  test.each<[words: string[], value: string, message: string]>([
    [["fail"], "at:env", "fail needs FROM: a place."],
    [["fail", "at:"], "at:env", "fail needs INTO: another."],
    [["fail", "at:a"], "at:env", "fail needs INTO: another."],
    [["fail", "a"], "", "fail needs INTO: another. Alternatively, set the environment variable SAMPLE_AT."],
    [
      ["fail", "a"],
      "hunter2",
      "SAMPLE_AT: expected a place that begins at:; the value is not shown, because it may hold a secret.",
    ],
    [
      ["show", "at:"],
      "hunter2",
      "SAMPLE_AT: expected a place that begins at:; the value is not shown, because it may hold a secret.",
    ],
  ])("%j with %j is wrong usage: %s", (words, value, message) => {
    expect(wordsOf(words, value)).toBe(message);
  });

  test("does not validate a variable that no word needs", () => {
    expect(wordsOf(["fail", "a", "b"], "hunter2")).toBe("a b");
  });
});

const TO = ["copy", "at:a", "--to", "x"];
test.each<[words: string[], message: string]>([
  [["cpoy"], 'Unknown command "cpoy". Did you mean copy?'],
  [["cp"], 'Unknown command "cp". Did you mean copy?'],
  [["hlep"], 'Unknown command "hlep". Did you mean help?'],
  [["constructor"], 'Unknown command "constructor".'],
  [["s3://a"], "Expected a command as the first word: copy, show, fail."],
  [["hunter2"], "Expected a command as the first word: copy, show, fail."],
  [["-q"], "Expected a command: copy, show, fail."],
  [["completion"], "completion takes one argument: bash, zsh or fish."],
  [["completion", "tcsh"], "completion takes one argument: bash, zsh or fish."],
  [["completion", "bash", "zsh"], "completion takes one argument: bash, zsh or fish."],
  [[...TO, "--frce"], "Unknown option --frce. Did you mean --force?"],
  [[...TO, "--frce=hunter2"], "Unknown option --frce. Did you mean --force?"],
  [[...TO, "-phunter2"], "Unknown option -p."],
  [[...TO, "-qx"], "Unknown option -x."],
  [[...TO, "--toString"], "Unknown option --toString."],
  [["show", "--force"], "--force does not apply to show. show replaces nothing."],
  [["show", "--to", "x"], "--to does not apply to show. It applies to copy."],
  [[...TO, "--force=yes"], "--force takes no value."],
  [["copy", "at:a", "--to"], "--to needs a value: a path."],
  [["copy", "at:a", "--to", "--force"], "--to needs a value: a path."],
  [["copy", "at:a", "--to="], "--to needs a value: a path."],
  [["copy", "at:a"], "copy needs --to PATH: a path."],
  [[...TO, "--to", "y"], "--to was given twice with different values."],
  [[...TO, "--way", "fats"], '--way: expected fast or slow, got "fats". Did you mean fast?'],
  [[...TO, "--way", "hunter2"], "--way: expected fast or slow; the value is not shown, because it may hold a secret."],
  [[...TO, "--tag", "-1"], '--tag: expected a number, got "-1".'],
  [
    ["copy", "--to", "x"],
    "copy needs PLACE: the place of the things. Alternatively, set the environment variable SAMPLE_PLACE.",
  ],
  [["show", "x"], 'show takes no arguments; unexpected argument: "x".'],
  [["show", "hunter2"], "show takes no arguments; unexpected argument, not shown because it may hold a secret."],
  [["fail", "a", "b"], 'fail takes WAY; unexpected argument: "b".'],
])("%j is wrong usage: %s", (words, message) => {
  expect(faultOf(words)).toBe(message);
});

test("shows neither of two values of an option given twice", () => {
  expect(faultOf(["copy", "at:a", "--to", "hunter2", "--to", "y"])).toBe("--to was given twice with different values.");
});
