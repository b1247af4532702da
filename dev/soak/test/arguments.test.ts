import { expect, test } from "vitest";
import { parseSoakArguments } from "../src/arguments.ts";
import { SOAKS } from "../src/soaks.ts";

test("without a name, a whole round of each soak is run", () => {
  expect(parseSoakArguments([])).toMatchObject({
    all: true,
    minutes: null,
    seed: 1,
    share: 1,
    only: undefined,
    soaks: SOAKS,
  });
});

test("with --minutes, rounds are small by default, and --share sets their size", () => {
  expect(parseSoakArguments(["crash", "--minutes", "5"])).toMatchObject({ all: false, minutes: 5, share: 0.1 });
  expect(parseSoakArguments(["--minutes", "5", "--share", "50", "--seed", "7"])).toMatchObject({ share: 0.5, seed: 7 });
});

test("--help lists the soaks", () => {
  const { text } = parseSoakArguments(["--help"]) as { text: string };
  for (const { name, about } of SOAKS) expect(text).toMatch(new RegExp(`${name} +${about.slice(0, 30)}`));
});

test.for([
  [["crush"], "Unknown soak crush: expected some of crash"],
  [["--minutes", "soon"], "--minutes: expected a number from 0.01 to 100000, got soon."],
  [["--share", "0"], "--share: expected a number from 0.001 to 100, got 0."],
  [["--seed", "1.5"], "--seed: expected a whole number from 0 to 999999999, got 1.5."],
  [["--dir", "/no/such"], "--dir: expected a directory that exists, got /no/such."],
  [["--json", "/no/such/file"], "--json: expected a file in a directory that exists, got /no/such/file."],
  [["--fast"], "Unknown option '--fast'"],
] as const)("refuses %s", ([words, complaint]) => {
  expect(() => parseSoakArguments(words)).toThrow(complaint);
});
