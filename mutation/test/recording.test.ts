import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { notTried, stale } from "../src/results/coverage.ts";
import { fileResult, reachedScoreOf, scoreOf } from "../src/results/file_result.ts";
import { identityOf, keyOf } from "../src/results/left_mutant.ts";
import { forgetFiles, readFolder, recordedFolders, recordResult } from "../src/results/results_folder.ts";
import { standingOf } from "../src/results/staleness.ts";
import { killedBySuite } from "../src/results/suite_result.ts";
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
