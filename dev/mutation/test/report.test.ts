import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { explainer, readExplanations } from "../src/explanations.ts";
import { conformanceCounts, openOf } from "../src/figures.ts";
import { changeId, placesOf } from "../src/places.ts";
import { outcomeOf } from "../src/report.ts";
import { chosenFolders, concerns } from "../src/sources.ts";
import { wordsOfErrors } from "../src/words_of_errors.ts";
import { FILE, LESS, mutant, reportOf, SOURCE } from "./less.ts";

const here = fileURLToPath(new URL("../../../", import.meta.url));

it("counts killed and timed-out mutants as found, and keeps the text of the others", () => {
  const { found, left } = outcomeOf(reportOf(SOURCE, LESS), [FILE]);
  expect(outcomeOf(reportOf(SOURCE, LESS, "other.ts"), [FILE])).toEqual({ found: 0, left: [] });
  expect(found).toBe(2);
  expect(left).toEqual([
    {
      file: FILE,
      at: "2:38",
      in: "isLess",
      change: changeId("b < a", "b <= a"),
      was: "b < a",
      became: "b <= a",
      isReached: true,
      isWords: false,
    },
    {
      file: FILE,
      at: "1:11",
      in: "a",
      change: changeId("1", "0"),
      was: "1",
      became: "0",
      isReached: false,
      isWords: false,
    },
  ]);
  const block = mutant("Survived", 1, [1, 2], `{\n  ${"x; ".repeat(200)}}`);
  expect(outcomeOf(reportOf(SOURCE, [block]), [FILE]).left[0]?.became).toMatch(/^\{ x; .{154}…$/);
});

it("counts mutants as found that other tests found in the same source", () => {
  const others = LESS.map((one) => ({ ...one, status: "Killed" as const }));
  expect(outcomeOf(reportOf(SOURCE, LESS), [FILE], reportOf(SOURCE, others.slice(0, 1)))).toMatchObject({
    found: 3,
    left: [{ at: "1:11" }],
  });
  expect(outcomeOf(reportOf(SOURCE, LESS), [FILE], reportOf(`${SOURCE}\n`, others)).found).toBe(2);
  expect(outcomeOf(reportOf(SOURCE, LESS), [FILE], reportOf(SOURCE, others, "another.ts")).found).toBe(2);
});

it("excludes texts of errors, unreached code and open points from the figures of the conformance suite", () => {
  const text = "if (a < b) throw new RangeError(`${a} is less.`, { cause: b });\n";
  const outcome = outcomeOf(
    reportOf(text, [
      mutant("Survived", 1, [5, 10], "a <= b"),
      mutant("Survived", 1, [5, 10], "true"),
      mutant("Survived", 1, [5, 10], "false"),
      mutant("Survived", 1, [33, 48], "``"),
      mutant("NoCoverage", 1, [50, 62], "{}"),
      mutant("Killed", 1, [12, 64], ";"),
    ]),
    [FILE],
  );
  const explained = { file: FILE, in: "", why: "" };
  const isExplained = explainer({
    mutants: [
      { ...explained, change: changeId("a < b", "a <= b"), class: "equivalent" },
      { ...explained, change: changeId("a < b", "true"), class: "open" },
      { ...explained, in: "another", change: changeId("a < b", "false"), class: "equivalent" },
    ],
  });
  expect(conformanceCounts(outcome, isExplained)).toEqual({ found: 1, determined: 2, asked: 3, reached: 5, all: 6 });
  expect(openOf("conformance", outcome, isExplained).map(({ became }) => became)).toEqual(["false"]);
  expect(openOf("whole", outcome, isExplained).map(({ became }) => became)).toEqual(["true", "false", "``", "{}"]);
});

it("applies the conformance suite only to what the specification determines", () => {
  const internals = "packages/internals/src";
  const leftOpen = readExplanations(here).left_open.flatMap(({ files }) => files);
  const judges = (file: string): boolean => concerns("conformance", file, leftOpen);
  expect(judges(`${internals}/terminal/table.ts`)).toBe(false);
  expect(judges(`${internals}/text/describe.ts`)).toBe(false);
  expect(judges(`${internals}/text/identifiers.ts`)).toBe(true);
  expect(judges("packages/migrator/src/core/run.ts")).toBe(false);
  expect(concerns("whole", "packages/migrator/src/core/run.ts", leftOpen)).toBe(true);
  for (const file of leftOpen) expect(existsSync(join(here, file)), file).toBe(true);
});

it("accepts folders with their subfolders, and refuses other names", () => {
  const all = ["packages/v16/src", "packages/internals/src/json", "packages/internals/src/metrics/rollup"];
  expect(chosenFolders(all, [])).toEqual(all);
  expect(chosenFolders(all, ["packages/internals/"])).toEqual(all.slice(1));
  expect(() => chosenFolders(all, ["packages/int"])).toThrow("packages/int is not a folder of mutated sources");
});

it.each([
  ['withStorage(path, "opening", () => open("x"))', ['"opening"']],
  ['this.#store("recording", task)', ['"recording"']],
  ['assertUserId("userId", id)', ['"userId"']],
  ['const fault = { reason: "it is missing" };', ['"it is missing"']],
  ['database.exec("SELECT 1 FROM a"); new Set(["a"])', []],
  ['database.pragma("foreign_keys = ON"); database.exec(`alter table a add ${"one column"}`)', []],
  ['/^"no word here"$/.test(text)', []],
])("finds the texts of errors in %s", (code, words) => {
  const isWords = wordsOfErrors(code);
  const texts = [...code.matchAll(/"[^"]*"/g)];
  expect(texts.filter(({ 0: text, index }) => isWords(index, index + text.length)).map(String)).toEqual(words);
});

it("names places by the two outer declarations that contain them", () => {
  const source = "const ONE = 1;\nclass A { #b() { const c = () => 2; } }\nfunction d() { const e = 3; }\n4;\n";
  const place = placesOf("a.ts", source);
  expect(["1;", "2;", "3;", "4;"].map((text) => place(source.indexOf(text)))).toEqual(["ONE", "A.#b", "d.e", ""]);
});

it("explains only mutants in places that exist", () => {
  const files = Map.groupBy(readExplanations(here).mutants, ({ file }) => file);
  for (const [file, explained] of files) {
    expect(existsSync(join(here, file)), file).toBe(true);
    const source = readFileSync(join(here, file), "utf8");
    const placeOf = placesOf(file, source);
    const places = new Set([...source.matchAll(/\w+/g)].map(({ index }) => placeOf(index)));
    expect(
      explained.map((one) => one.in).filter((place) => place !== "" && !places.has(place)),
      file,
    ).toEqual([]);
  }
});
