import { expect, it } from "vitest";
import { wishesFrom } from "../src/arguments.ts";
import { fileResult } from "../src/results/file_result.ts";
import { recordResult } from "../src/results/results_folder.ts";
import { standingOf } from "../src/results/staleness.ts";
import { knownBefore } from "../src/results/known_before.ts";
import { portions } from "../src/run/portions.ts";
import { isInSample } from "../src/run/sample.ts";
import { chosenFolders } from "../src/sources.ts";
import { limitFor, quickestTests, stagesOf } from "../src/whole/quickest_tests.ts";
import { FOLDER, LESS, mutant, repository, SOURCE } from "./less.ts";

it("tries one mutant of so many, the same in every run, and counts them as a sample", () => {
  const root = repository();
  const file = `${FOLDER}/less.ts`;
  const many = Array.from({ length: 2000 }, (_, line) => mutant("Killed", line + 1, 1, 2, "true"));
  const tenth = many.filter((one) => isInSample(10, file, one));
  expect(tenth.length).toBeGreaterThan(150);
  expect(tenth.length).toBeLessThan(250);
  expect(many.filter((one) => isInSample(10, file, one))).toEqual(tenth);
  expect(many.filter((one) => isInSample(10, "another.ts", one))).not.toEqual(tenth);
  expect(many.every((one) => isInSample(1, file, one))).toBe(true);

  recordResult(root, file, "whole", fileResult(SOURCE, LESS, 10));
  const standing = (every?: number) => standingOf(root, FOLDER, file, "whole", every);
  expect([standing(), standing(10), standing(20), standing(5), standing(1)]).toEqual([
    "fresh",
    "fresh",
    "fresh",
    "missing",
    "missing",
  ]);
  // What is not in a sample was not killed.
  recordResult(root, file, "conformance", fileResult(SOURCE, LESS.slice(0, -1), 10));
  expect(LESS.map(knownBefore(root, file, SOURCE, { left: false, every: 1 }))).toEqual(LESS.map(() => undefined));
});

it("tries folders together that the same tests concern, more of them where a sample is taken", () => {
  const folder = (name: string, count: number) => Array.from({ length: count }, (_, file) => `${name}/${file}.ts`);
  const folders = [folder("a", 20), folder("a/b", 10), folder("a/c", 5), [], folder("m", 40), folder("m/n", 1)];
  const sameTests = (one: string, other: string): boolean => one[0] === other[0];
  const sizes = (every: number) => portions(folders, sameTests, every).map((portion) => portion.length);
  expect(sizes(1)).toEqual([30, 5, 40, 1]);
  expect(sizes(2)).toEqual([35, 41]);
});

it("tries the quickest tests first, as long as they may take", () => {
  const took = new Map([
    ["slow.ts#a", 9000],
    ["quick.ts#b", 20],
    ["quick.ts#c", 30],
    ["other.ts#d", 40],
  ]);
  const ids = [...took.keys(), "new.ts#e"];
  expect(quickestTests(ids, took, 60_000)).toEqual(["new.ts#e", "quick.ts#b", "quick.ts#c", "other.ts#d", "slow.ts#a"]);
  expect(quickestTests(ids, took, 5000)).toEqual(["new.ts#e", "quick.ts#b", "quick.ts#c", "other.ts#d"]);
  expect(quickestTests(ids, took, 1500)).toEqual(["new.ts#e", "quick.ts#b", "quick.ts#c"]);
  // One at least: otherwise nothing would be tried.
  expect(quickestTests(["slow.ts#a"], took, 1)).toEqual(["slow.ts#a"]);
});

it("tries those of the first seconds by themselves, and waits the longer the more there is to run", () => {
  const took = new Map(Array.from({ length: 10 }, (_, second) => [`file.ts#${second}`, second * 1000]));
  const names = (...seconds: number[]): string[] => seconds.map((second) => `file.ts#${second}`);
  expect(stagesOf([...took.keys()], took, 12_000)).toEqual([names(0, 1, 2), names(3, 4)]);
  expect(stagesOf(names(2, 1), took, 60_000)).toEqual([names(1, 2)]);
  expect(stagesOf([...took.keys()], took, 1000)).toEqual([names(0)]);
  expect(limitFor(names(1, 2), took)).toBe(5000 + 3 * 3700);
});

it("takes folders with all below them, and refuses names that are none", () => {
  const all = ["packages/v16/src", "packages/internals/src/json", "packages/internals/src/metrics/rollup"];
  expect(chosenFolders(all, [])).toEqual(all);
  expect(chosenFolders(all, ["packages/internals/"])).toEqual(all.slice(1));
  expect(() => chosenFolders(all, ["packages/int"])).toThrow("packages/int is no folder of sources");
  expect(wishesFrom(["packages/v16", "--suite", "whole"]).suites).toEqual(["whole"]);
  expect(wishesFrom([]).suites).toEqual(["conformance", "whole"]);
  expect(wishesFrom(["--minutes", "90"]).minutes).toBe(90);
  expect(() => wishesFrom(["--minutes", "soon"])).toThrow("--minutes is soon; give a number above 0.");
  expect(wishesFrom(["--every", "10"])).toMatchObject({ every: 10, seconds: 60 });
  expect(() => wishesFrom(["--every", "1.5"])).toThrow("--every is 1.5; give a whole number above 0.");
  expect(wishesFrom(["--left"])).toMatchObject({ suites: ["whole"], left: true });
  for (const other of ["--again", "--suite=conformance"])
    expect(() => wishesFrom(["--left", other])).toThrow("neither --again nor --suite conformance goes with it.");
  expect(wishesFrom(["--left", "--tests", "a", "--tests", "b.ts"])).toMatchObject({ tests: ["a", "b.ts"] });
  expect(() => wishesFrom(["--suite", "all"])).toThrow("--suite is all; choose conformance or whole.");
});
