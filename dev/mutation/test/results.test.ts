import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { pageNow } from "../src/page/write_table.ts";
import { leftBehind } from "../src/results/coverage.ts";
import { type Explanation, explains, readExplanations } from "../src/results/explanations.ts";
import { scoreOf, type Suite } from "../src/results/file_result.ts";
import { readFolder, recordedFolders } from "../src/results/results_folder.ts";
import { standingOf } from "../src/results/staleness.ts";
import { sourceFolders } from "../src/sources.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const sources = sourceFolders(root);
const recorded = recordedFolders(root).flatMap((folder) =>
  Object.entries(readFolder(root, folder)).flatMap(([name, { conformance, whole }]) =>
    [conformance, whole].flatMap((result) => (result ? [{ file: posix.join(folder, name), result }] : [])),
  ),
);

it("has figures on its page that follow from the results, and names what was not tried", () => {
  expect(pageNow(root), "pnpm mutation --page writes them again").toBe(
    readFileSync(join(root, "dev", "mutation", "README.md"), "utf8"),
  );
});

it("lists every mutant that a result counts as not found", () => {
  expect(recorded.length).toBeGreaterThan(0);
  for (const { file, result } of recorded) {
    const reached = result.left.filter((left) => left.reached).length;
    expect({ file, survived: reached, unreached: result.left.length - reached }).toEqual({
      file,
      survived: result.survived,
      unreached: result.no_coverage,
    });
    const { found, of } = scoreOf(result);
    expect(of - found).toBe(result.left.length);
  }
});

it("has no results of files that are gone", () => {
  expect(leftBehind(root, recordedFolders(root), sources)).toEqual([]);
});

it("explains only mutants that are left, each in one of the classes that its page has", () => {
  const { classes, mutants } = readExplanations(root);
  const page = readFileSync(join(root, "dev", "mutation", "README.md"), "utf8");
  for (const [name, meaning] of Object.entries(classes)) expect(page).toContain(`**${name}**: ${meaning}`);
  expect(mutants.filter((each) => !Object.hasOwn(classes, each.class) || each.why === "")).toEqual([]);
  const found = mutants.map((explanation) => ({ ...explanation, places: placesOf(explanation) }));
  // Of a source that was edited since, a next run will tell.
  const standing = (file: string, suite: Suite): string => standingOf(root, posix.dirname(file), file, suite);
  const settled = (file: string): boolean =>
    standing(file, "whole") === "fresh" && standing(file, "conformance") !== "stale";
  expect(
    found.filter(({ file, places }) => places.length === 0 && settled(file)),
    "explanations of nothing that is left",
  ).toEqual([]);
  expect(
    found.filter(({ places }) => Math.max(0, ...places) > 1),
    "each place needs its reason",
  ).toEqual([]);
});

/** In how many places of a source an explanation holds, for each state of the source that was tried: a suite may have an old one. */
function placesOf(explanation: Explanation): number[] {
  const left = recorded
    .filter(({ file }) => file === explanation.file)
    .flatMap(({ file, result }) =>
      result.left
        .filter((each) => explains(explanation, file, each))
        .map(({ at, words }) => ({ source: result.sha256, at, words })),
    );
  return [...Map.groupBy(left, ({ source }) => source).values()].map(
    (each) => new Set(each.filter(({ words }) => !words).map(({ at }) => at)).size,
  );
}
