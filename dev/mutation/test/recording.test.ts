import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hasOpen, notTried, stale } from "../src/results/coverage.ts";
import { fileResult, reachedScoreOf, scoreOf } from "../src/results/file_result.ts";
import { knownBefore, reachedBefore } from "../src/results/known_before.ts";
import { identityOf, keyOf } from "../src/results/left_mutant.ts";
import { forgetFiles, readFolder, recordedFolders, recordResult } from "../src/results/results_folder.ts";
import { standingOf } from "../src/results/staleness.ts";
import { FOLDER, LESS, mutant, repository, SOURCE } from "./less.ts";

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
  const file = join(root, "dev", "mutation", "results", `${FOLDER}.json`);
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

it("takes a mutant for found by the suite where the suite has a result of this very source and did not leave it", () => {
  const root = repository();
  const file = `${FOLDER}/less.ts`;
  const tested = LESS.slice(0, -1);
  const found = (source: string) => {
    const known = knownBefore(root, file, source, { left: false, every: 1 });
    return tested.filter((one) => known(one) === "found").map(({ status }) => status);
  };
  expect(found(SOURCE)).toEqual([]);
  recordResult(root, file, "conformance", fileResult(SOURCE, tested));
  expect(found(SOURCE)).toEqual(["Killed", "Timeout"]);
  expect(found(`${SOURCE}\n`)).toEqual([]);
  recordResult(root, file, "conformance", fileResult(SOURCE, LESS));
  expect(found(SOURCE)).toEqual([]);
});

it("tries again only what all tests left and nobody explained, where that is asked for", () => {
  const root = repository();
  const file = `${FOLDER}/less.ts`;
  const tested = LESS.slice(0, -1);
  const explain = (...mutants: object[]): void =>
    writeFileSync(join(root, "dev", "mutation", "explained.json"), JSON.stringify({ classes: {}, mutants }));
  const known = (settings: { left: boolean; every: number }) => tested.map(knownBefore(root, file, SOURCE, settings));
  recordResult(root, file, "whole", fileResult(SOURCE, tested));
  explain();
  expect(known({ left: false, every: 1 })).toEqual([undefined, undefined, undefined, undefined]);
  expect(known({ left: true, every: 1 })).toEqual([undefined, "found", "found", undefined]);
  expect(hasOpen(root, file)).toBe(true);
  explain(
    { file, was: "b < a", became: "b <= a", class: "equivalent", why: "" },
    { file, was: "1", class: "open", why: "" },
  );
  expect(known({ left: true, every: 1 })).toEqual(["explained", "found", "found", undefined]);
  expect(hasOpen(root, file)).toBe(true);
  explain({ file, was: "b < a", class: "equivalent", why: "" }, { file, was: "1", class: "speed", why: "" });
  expect(hasOpen(root, file)).toBe(false);
  // A sample is known as a sample.
  expect(known({ left: true, every: 10 })).toEqual(["explained", "explained", "explained", "explained"]);
  recordResult(root, file, "whole", fileResult(SOURCE, tested, 10));
  expect(known({ left: true, every: 10 })).toEqual(["explained", "found", "found", "explained"]);
});

it("keeps that a mutant was reached, where only some tests are tried again that do not reach it", () => {
  const root = repository();
  const file = `${FOLDER}/less.ts`;
  const reached = (source: string, tests: string[]) =>
    LESS.filter(reachedBefore(root, file, source, { tests })).map(({ status }) => status);
  expect(reached(SOURCE, ["a"])).toEqual([]);
  recordResult(root, file, "whole", fileResult(SOURCE, LESS));
  expect(reached(SOURCE, ["a"])).toEqual(["Survived"]);
  expect(reached(SOURCE, [])).toEqual([]);
  expect(reached(`${SOURCE}\n`, ["a"])).toEqual([]);
});
