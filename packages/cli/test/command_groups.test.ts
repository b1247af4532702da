import { expect, test } from "vitest";
import { helpText } from "../src/help.ts";
import { parseArguments } from "../src/parse_arguments.ts";
import { readmeTables } from "../src/readme_tables.ts";
import { GROUPED } from "./sample_program.ts";

const parse = (...words: string[]) => parseArguments(GROUPED, words, {});

test.for([
  [["things", "list", "a"], "things list", ["a"]],
  [["things", "show", "a", "b"], "things show", ["a", "b"]],
  [["--limit", "5", "things", "list", "a"], "things list", ["a"]],
  [["watch", "a"], "watch", ["a"]],
  [["a", "b"], "overview", ["a", "b"]],
  [["./things"], "overview", ["./things"]],
  [["overview"], "overview", ["overview"]],
] as const)("%j is %s", ([line, command, words]) => {
  expect(parse(...line)).toMatchObject({ kind: "run", command, words });
});

test.for([
  [["things"], "things needs a command: list or show. For a path with this name, write ./things."],
  [
    ["things", "shwo", "a"],
    'Unknown command "things shwo"; expected list or show after things. Did you mean things show?',
  ],
  [["thigns", "list", "a"], 'Unknown command "thigns". Did you mean things?'],
  [["things", "show", "a"], "things show needs ID: a thing."],
  [["--limit", "5", "watch", "a"], "--limit does not apply to watch. It applies to perdura-grouped and things list."],
] as const)("%j is refused", ([line, message]) => {
  expect(() => parse(...line)).toThrow(message);
});

test.for([
  [["help", "things", "show"], "things show"],
  [["things", "show", "--help"], "things show"],
  [["--help"], undefined],
  [["things", "--help"], undefined],
] as const)("%j asks for the help of %s", ([line, command]) => {
  expect(parse(...line)).toEqual({ kind: "help", command });
});

test("the help of the program has the arguments and options of the default command, not its name", () => {
  const help = helpText(GROUPED, undefined, 80);
  expect(help).toContain("[OPTIONS] PATH... | COMMAND [OPTIONS]");
  expect(help).toContain("--limit N");
  expect(help).toMatch(/things list +List things/);
  expect(help).not.toContain("overview");
  expect(helpText(GROUPED, "things show", 80)).toContain("perdura-grouped things show [OPTIONS] PATH ID");
});

test("the tables of a README show the default command by its arguments", () => {
  const { commands, options } = readmeTables(GROUPED);
  expect(commands?.rows[0]).toEqual(["`PATH...`", "Show everything"]);
  expect(options?.rows[0]?.[1]).toBe("no command, `things list`");
});
