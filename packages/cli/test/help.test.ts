import { expect, test } from "vitest";
import { displayWidth } from "../src/display_width.ts";
import { helpText } from "../src/help.ts";
import { readmeTables } from "../src/readme_tables.ts";
import { SAMPLE } from "./sample_program.ts";

const { table } = SAMPLE;

test("the help of a command has its usage, words, options, examples and exit codes", () => {
  const text = helpText(table, "copy", Infinity);
  expect(text).toMatch(
    /^Usage: perdura-sample copy \[OPTIONS\] PLACE \[THING\.\.\.\] --to PATH\n\nCopy things from one place to another\.\n\nDetails of/,
  );
  expect(text).toContain("\n  PLACE           the place of the things [env: SAMPLE_PLACE]\n");
  expect(text).toContain(
    "\n  -t, --to PATH   copy to here\n      --way WAY   copy: [this] way [fast] [env: SAMPLE_WAY]\n",
  );
  expect(text).toContain("\n\nExamples:\n  perdura-sample copy at:here one --to there\n\n");
  expect(text).toMatch(/\n {2}4 {4}things differ\n {2}130 {2}interrupted$/);
  expect(text).not.toMatch(/in use by/);
});

test("the help of the program has its commands and environment variables", () => {
  const text = helpText(table, undefined, Infinity);
  expect(text).toMatch(/^Usage: perdura-sample COMMAND \[OPTIONS\]\n/);
  for (const line of ["  copy            Copy things from one place to another", "  -V, --version   print the version"])
    expect(text.split("\n")).toContain(line);
  expect(text).toMatch(
    /\n {2}SAMPLE_PLACE {2}the place[^]*\n {2}SAMPLE_WAY {4}value of --way[^]*\n {2}SAMPLE_HOME {3}the home/,
  );
});

test.each([30, 60, 80, 200])(
  "in a terminal of %i columns, no line of help is wider than the terminal or 80 columns",
  (columns) => {
    for (const command of [undefined, "copy", "show", "fail"] as const) {
      const lines = helpText(table, command, columns).split("\n");
      const wide = lines.filter(
        (line) => displayWidth(line) > Math.min(columns, 80) && /^(?!Usage| *perdura-).* .* /.test(line.trim()),
      );
      if (columns >= 60) expect(wide).toEqual([]);
    }
  },
);

test("readmeTables lists the same commands, options, variables and exit codes", () => {
  const { commands, options, environment, "exit codes": exits } = readmeTables(table);
  expect(commands?.rows[0]).toEqual(["`copy PLACE [THING...] --to PATH`", "Copy things from one place to another"]);
  expect(options?.rows.slice(0, 2)).toEqual([
    ["`-t`, `--to PATH`", "`copy`", "copy to here"],
    ["`--way WAY`", "`copy`, `show`", "copy: [this] way [fast] [env: SAMPLE_WAY]"],
  ]);
  expect(options?.rows.at(-1)).toEqual(["`-h`, `--help`", "all", "print this help"]);
  expect(environment?.rows).toContainEqual(["`SAMPLE_HOME`", "the home of the sample"]);
  expect(exits?.rows.map(([code]) => code)).toEqual(["0", "1", "2", "3", "4", "130"]);
});
