import { expect, test } from "vitest";
import { wishesFrom } from "../src/arguments.ts";
import { SOAKS } from "../src/soaks.ts";

test("without a name, all kinds of trouble are made, a whole round of each", () => {
  expect(wishesFrom([])).toMatchObject({ all: true, minutes: null, seed: 1, share: 1, only: undefined, soaks: SOAKS });
});

test("with minutes, rounds are small, so that every kind has its turn; a share may be stated", () => {
  expect(wishesFrom(["crash", "--minutes", "5"])).toMatchObject({ all: false, minutes: 5, share: 0.1 });
  expect(wishesFrom(["--minutes", "5", "--share", "50", "--seed", "7"])).toMatchObject({ share: 0.5, seed: 7 });
});

test("--help says what there is", () => {
  const { text } = wishesFrom(["--help"]) as { text: string };
  for (const { name, about } of SOAKS) expect(text).toMatch(new RegExp(`${name} +${about.slice(0, 30)}`));
});

test("--page asks for no trouble", () => {
  expect(wishesFrom(["--page"])).toBe("page");
});

test.for([
  [["crush"], "There is no soak called crush, only crash"],
  [["--minutes", "soon"], "--minutes: expected a number from 0.01 to 100000, got soon."],
  [["--share", "0"], "--share: expected a number from 0.001 to 100, got 0."],
  [["--seed", "1.5"], "--seed: expected a whole number from 0 to 999999999, got 1.5."],
  [["--dir", "/no/such"], "--dir: expected a directory that exists, got /no/such."],
  [["--json", "/no/such/file"], "--json: expected a file in a directory that exists, got /no/such/file."],
  [["--fast"], "Unknown option '--fast'"],
] as const)("%s is refused", ([words, complaint]) => {
  expect(() => wishesFrom(words)).toThrow(complaint);
});
