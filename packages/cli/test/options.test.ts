import { describe, expect, test } from "vitest";
import { assertMeansSomething, assertOnce } from "../src/check_options.ts";
import { optionHelp } from "../src/option_help.ts";
import { type Given, has, type OptionTable, optionText, valueOf, valuesOf } from "../src/option_table.ts";
import { readOption, splitWords } from "../src/read_options.ts";
import { UsageError } from "../src/usage_error.ts";

type Command = "up" | "down" | "list";
type Name = "fence" | "states" | "quiet" | "to";

const TABLE: OptionTable<Command, Name> = {
  fence: {
    value: "WAY",
    pattern: /^(?:tombstone|none|no)$/,
    expected: "tombstone, none or no",
    commands: ["up"],
    help: "what is left",
  },
  states: { value: "DIR", repeatable: true, commands: ["up", "down"], help: "where states are" },
  quiet: { short: "q", commands: ["up", "down", "list"], help: "says nothing" },
  to: { short: "t", value: "FILE", expected: "a file", commands: ["list"], help: "where it goes" },
};

const read = (...words: string[]): Given<Name>[] =>
  splitWords(words, TABLE).options.map((option) => readOption(option, TABLE));

function faultOf(...words: string[]): string {
  try {
    return JSON.stringify(read(...words));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.message;
  }
}

describe("options are read", () => {
  test("wherever they stand, up to --", () => {
    expect(splitWords(["up", "-q", "a", "--states", "b", "--", "--to", "c"], TABLE).positionals).toEqual([
      "up",
      "a",
      "--to",
      "c",
    ]);
    expect(read("up", "-qt", "x", "--states=a", "b", "--states", "c")).toEqual([
      { name: "quiet", value: undefined },
      { name: "to", value: "x" },
      { name: "states", value: "a" },
      { name: "states", value: "c" },
    ]);
  });

  test("and told by their names", () => {
    const from = { given: read("--states=a", "--states=b", "-q", "--to", "x") };
    expect([has(from, "quiet"), has(from, "fence")]).toEqual([true, false]);
    expect([valueOf(from, "states"), valueOf(from, "to"), valueOf(from, "quiet"), valueOf(from, "fence")]).toEqual([
      "b",
      "x",
      undefined,
      undefined,
    ]);
    expect([valuesOf(from, "states"), valuesOf(from, "quiet"), valuesOf(from, "fence")]).toEqual([["a", "b"], [], []]);
  });

  test.each([
    [["--fnce", "x"], "There is no option --fnce. Did you mean --fence?"],
    [["--nothing-like-it"], "There is no option --nothing-like-it."],
    [["--toString"], "There is no option --toString."],
    // A letter has no near misses.
    [["-f"], "There is no option -f."],
    [["-o"], "There is no option -o."],
    [["--quiet=yes"], "--quiet takes no value."],
    [["--quiet="], "--quiet takes no value."],
    [["--states"], "--states needs a value: a directory."],
    [["--states="], "--states needs a value: a directory."],
    [["-t"], "--to needs a value: a file."],
    [["--to", "-q"], "--to needs a value: a file. (Found -q.)"],
    [["--to", "--quiet"], "--to needs a value: a file. (Found --quiet.)"],
    [["--fence", "tomstone"], '--fence: expected tombstone, none or no, got "tomstone". Did you mean tombstone?'],
    // Words of less than three letters are suggested to nobody.
    [["--fence", "na"], '--fence: expected tombstone, none or no, got "na".'],
    [["--fence", "xxxx"], '--fence: expected tombstone, none or no, got "xxxx".'],
  ])("%j is refused: %s", (words, sentence) => {
    expect(faultOf(...words)).toBe(sentence);
  });

  test("a value may begin with a dash where it stands behind =", () => {
    expect(read("--to=-x", "--fence=none")).toEqual([
      { name: "to", value: "-x" },
      { name: "fence", value: "none" },
    ]);
  });
});

describe("options are checked", () => {
  test("by the commands to which they mean something", () => {
    assertMeansSomething("fence", "up", TABLE);
    assertMeansSomething("states", "down", TABLE);
    expect(() => assertMeansSomething("fence", "down", TABLE)).toThrow(
      new UsageError("--fence means nothing to down. It is for up."),
    );
    expect(() => assertMeansSomething("states", "list", TABLE)).toThrow(
      new UsageError("--states means nothing to list. It is for up and down."),
    );
    const three: OptionTable<Command | "x", "all"> = { all: { commands: ["up", "down", "list"], help: "" } };
    expect(() => assertMeansSomething("all", "x", three)).toThrow("It is for up, down and list.");
  });

  test("what to use instead is said where it is known", () => {
    const instead: Partial<Record<Name, Partial<Record<Command, string>>>> = { fence: { down: "Use up." } };
    expect(() => assertMeansSomething("fence", "down", TABLE, instead)).toThrow(
      new UsageError("--fence means nothing to down. Use up."),
    );
    expect(() => assertMeansSomething("fence", "list", TABLE, instead)).toThrow("It is for up.");
    expect(() => assertMeansSomething("to", "up", TABLE, instead)).toThrow("It is for list.");
  });

  test("once, unless they may be repeated or say the same", () => {
    assertOnce(read("--states=a", "--states=b", "--fence=none", "--fence=none", "-qq"), TABLE);
    expect(() => assertOnce(read("--to=x", "--fence=none", "--fence=no"), TABLE)).toThrow(
      new UsageError("--fence is given twice, with different values."),
    );
  });
});

describe("options are explained", () => {
  test("beside their names, or below where these are long", () => {
    expect(optionHelp("quiet", TABLE.quiet, 80)).toBe("  -q, --quiet           says nothing");
    expect(optionHelp("fence", TABLE.fence, 80)).toBe("  --fence WAY           what is left");
    expect(optionHelp("a-name-of-21-letters", { ...TABLE.quiet, short: "a" }, 80)).toBe(
      "  -a, --a-name-of-21-letters\n                        says nothing",
    );
    // One blank at least stands between the two.
    expect(optionHelp("x".repeat(19), { commands: [], help: "h" }, 80)).toBe(`  --${"x".repeat(19)} h`);
    expect(optionHelp("x".repeat(20), { commands: [], help: "h" }, 80)).toBe(
      `  --${"x".repeat(20)}\n${" ".repeat(24)}h`,
    );
    expect([optionText("quiet", TABLE.quiet), optionText("to", TABLE.to)]).toEqual(["--quiet", "--to FILE"]);
  });

  test("in lines that fit, but not in less than twenty columns", () => {
    const help = "one two three four five six seven eight nine ten";
    const lines = (width: number): string[] => optionHelp("to", { ...TABLE.to, help }, width).split("\n");
    expect(lines(54)).toEqual([
      "  -t, --to FILE         one two three four five six",
      "                        seven eight nine ten",
    ]);
    for (const width of [10, 43, 44]) expect(lines(width)[0]).toBe("  -t, --to FILE         one two three four");
    expect(lines(47)[0]).toBe("  -t, --to FILE         one two three four five");
  });
});
