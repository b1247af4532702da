import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { wishesFrom } from "../src/arguments.ts";
import { LEFT_OPEN } from "../src/left_open.ts";
import { notTried, stale } from "../src/results/coverage.ts";
import { fileResult, reachedScoreOf, scoreOf, suiteScoreOf } from "../src/results/file_result.ts";
import { identityOf, keyOf, type TestedMutant } from "../src/results/left_mutant.ts";
import { forgetFiles, readFolder, recordedFolders, recordResult } from "../src/results/results_folder.ts";
import { killedBySuite } from "../src/results/suite_result.ts";
import { wordsOfErrors } from "../src/results/words_of_errors.ts";
import { standingOf } from "../src/results/staleness.ts";
import { portions } from "../src/run/portions.ts";
import { isInSample } from "../src/run/sample.ts";
import { quickestTests } from "../src/whole/quickest_tests.ts";
import { chosenFolders, concerns } from "../src/sources.ts";

const here = fileURLToPath(new URL("../../", import.meta.url));
const FOLDER = "packages/v16/src";
const SOURCE = "const a = 1;\nexport const isLess = (b: number) => b < a;\n";

function repository(): string {
  const root = mkdtempSync(join(tmpdir(), "perdura-test-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, FOLDER), { recursive: true });
  writeFileSync(join(root, FOLDER, "less.ts"), SOURCE);
  return root;
}

function mutant(status: string, line: number, from: number, to: number, replacement: string): TestedMutant {
  return { status, replacement, location: { start: { line, column: from }, end: { line, column: to } } };
}

const LESS = [
  mutant("Survived", 2, 38, 43, "b <= a"),
  mutant("Killed", 2, 38, 43, "true"),
  mutant("Timeout", 2, 38, 43, "false"),
  mutant("NoCoverage", 1, 11, 12, "0"),
  mutant("RuntimeError", 2, 23, 43, "undefined"),
];

it("counts the mutants of a file, and keeps those that are left in the order of the source", () => {
  const result = fileResult(SOURCE, LESS);
  expect(result).toMatchObject({ killed: 1, timeout: 1, survived: 1, no_coverage: 1, error: 1 });
  expect(result.left).toEqual([
    { at: "1:11", was: "1", became: "0", reached: false },
    { at: "2:38", was: "b < a", became: "b <= a", reached: true },
  ]);
  expect(scoreOf(result)).toEqual({ found: 2, of: 4 });
  expect(reachedScoreOf(result)).toEqual({ found: 2, of: 3 });
  expect(() => fileResult(SOURCE, [mutant("Pending", 1, 1, 2, "")])).toThrow("the status Pending");
});

it("tells mutants apart by place, text and replacement, and shortens whole blocks", () => {
  const one = mutant("Killed", 2, 38, 43, "b <= a");
  const other = mutant("Killed", 2, 38, 43, "b >= a");
  expect(keyOf(identityOf(SOURCE, one))).not.toBe(keyOf(identityOf(SOURCE, other)));
  expect(identityOf(SOURCE, mutant("Killed", 1, 1, 2, `{${"x; ".repeat(200)}}`)).became).toHaveLength(160);
});

it("records the same bytes in whatever order results come, and forgets files that are gone", () => {
  const root = repository();
  const file = join(root, "mutation", "results", `${FOLDER}.json`);
  recordResult(root, `${FOLDER}/less.ts`, "whole", fileResult(SOURCE, []));
  recordResult(root, `${FOLDER}/less.ts`, "conformance", fileResult(SOURCE, LESS));
  recordResult(root, `${FOLDER}/gone.ts`, "whole", fileResult("", []));
  const first = readFileSync(file, "utf8");
  rmSync(file);
  recordResult(root, `${FOLDER}/gone.ts`, "whole", fileResult("", []));
  recordResult(root, `${FOLDER}/less.ts`, "conformance", fileResult(SOURCE, LESS));
  recordResult(root, `${FOLDER}/less.ts`, "whole", fileResult(SOURCE, []));
  expect(readFileSync(file, "utf8")).toBe(first);
  forgetFiles(root, FOLDER, ["less.ts"]);
  expect(Object.keys(readFolder(root, FOLDER))).toEqual(["less.ts"]);
  expect(recordedFolders(root)).toEqual([FOLDER]);
});

it("knows a result as stale once the source is another", () => {
  const root = repository();
  const file = `${FOLDER}/less.ts`;
  const standing = () => [
    standingOf(root, FOLDER, file, "conformance"),
    notTried(root, new Map([[FOLDER, [file]]])),
    stale(root, new Map([[FOLDER, [file]]])),
  ];
  expect(standing()).toEqual(["missing", [`conformance: ${file}`, `whole: ${file}`], []]);
  recordResult(root, file, "conformance", fileResult(SOURCE, LESS));
  expect(standing()).toEqual(["fresh", [`whole: ${file}`], []]);
  writeFileSync(join(root, file), `${SOURCE}\n`);
  expect(standing()).toEqual(["stale", [`whole: ${file}`], [`conformance: ${file}`]]);
});

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
  expect(LESS.filter(killedBySuite(root, file, SOURCE))).toEqual([]);
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

it("takes a mutant for killed by the suite where the suite has a result of this very source and did not leave it", () => {
  const root = repository();
  const file = `${FOLDER}/less.ts`;
  const tested = LESS.slice(0, -1);
  const killed = (source: string) => tested.filter(killedBySuite(root, file, source)).map(({ status }) => status);
  expect(killed(SOURCE)).toEqual([]);
  recordResult(root, file, "conformance", fileResult(SOURCE, tested));
  expect(killed(SOURCE)).toEqual(["Killed", "Timeout"]);
  expect(killed(`${SOURCE}\n`)).toEqual([]);
  recordResult(root, file, "conformance", fileResult(SOURCE, LESS));
  expect(killed(SOURCE)).toEqual([]);
});

it("lets the suite judge what the specification determines, and counts no words of errors for it", () => {
  const internals = "packages/internals/src";
  expect(concerns("conformance", `${internals}/terminal/table.ts`)).toBe(false);
  expect(concerns("conformance", `${internals}/text/describe.ts`)).toBe(false);
  expect(concerns("conformance", `${internals}/text/identifiers.ts`)).toBe(true);
  expect(concerns("conformance", "packages/migrator/src/run/run.ts")).toBe(false);
  expect(concerns("whole", "packages/migrator/src/run/run.ts")).toBe(true);
  for (const file of LEFT_OPEN.flatMap(({ files }) => files)) expect(existsSync(join(here, file)), file).toBe(true);

  const text = "if (a < b) throw new RangeError(`${a} is less.`, { cause: b });\n";
  const result = fileResult(text, [
    mutant("Survived", 1, 5, 10, "a <= b"),
    mutant("Survived", 1, 33, 48, "``"),
    mutant("NoCoverage", 1, 50, 62, "{}"),
    mutant("Killed", 1, 12, 64, ";"),
  ]);
  expect(result.left.map(({ words }) => words)).toEqual([undefined, true, true]);
  expect(scoreOf(result)).toEqual({ found: 1, of: 4 });
  expect(suiteScoreOf(result, () => false)).toEqual({ found: 1, of: 2 });
  expect(suiteScoreOf(result, ({ was }) => was === "a < b")).toEqual({ found: 1, of: 1 });
});

it.each([
  ['withStorage(path, "opening", () => open("x"))', ['"opening"']],
  ['this.#store("recording", task)', ['"recording"']],
  ['assertUserId("userId", id)', ['"userId"']],
  ['const fault = { reason: "it is missing" };', ['"it is missing"']],
  ['database.exec("SELECT 1 FROM a"); new Set(["a"])', []],
  ['database.pragma("foreign_keys = ON"); database.exec(`alter table a add ${"one column"}`)', []],
  ['/^"no word here"$/.test(text)', []],
])("finds the words of errors in %s", (code, words) => {
  const isWords = wordsOfErrors(code);
  const texts = [...code.matchAll(/"[^"]*"/g)];
  expect(texts.filter(({ 0: text, index }) => isWords(index, index + text.length)).map(String)).toEqual(words);
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
  expect(() => wishesFrom(["--suite", "all"])).toThrow("--suite is all; choose conformance or whole.");
});
