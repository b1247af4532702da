import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { pageNow } from "../src/page/write_table.ts";
import { leftBehind } from "../src/results/coverage.ts";
import { explains, readExplanations } from "../src/results/explanations.ts";
import { scoreOf } from "../src/results/file_result.ts";
import { readFolder, recordedFolders } from "../src/results/results_folder.ts";
import { sourceFolders } from "../src/sources.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const sources = sourceFolders(root);
const recorded = recordedFolders(root).flatMap((folder) =>
  Object.entries(readFolder(root, folder)).flatMap(([name, { conformance, whole }]) =>
    [conformance, whole].flatMap((result) => (result ? [{ file: posix.join(folder, name), result }] : [])),
  ),
);

it("has figures on its page that follow from the results, and names what was not tried", () => {
  expect(pageNow(root), "pnpm mutation --page writes them again").toBe(
    readFileSync(join(root, "mutation", "README.md"), "utf8"),
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
  const page = readFileSync(join(root, "mutation", "README.md"), "utf8");
  for (const [name, meaning] of Object.entries(classes)) expect(page).toContain(`**${name}**: ${meaning}`);
  const fresh = new Set(recorded.map(({ file }) => file));
  for (const explanation of mutants) {
    expect(Object.keys(classes)).toContain(explanation.class);
    expect(explanation.why).not.toBe("");
    const explained = recorded
      .filter(({ file }) => file === explanation.file)
      .flatMap(({ file, result }) => result.left.filter((left) => explains(explanation, file, left)));
    const places = new Set(explained.filter(({ words }) => !words).map(({ at }) => at)).size;
    expect(
      explained.length > 0 || !fresh.has(explanation.file),
      `nothing left is explained by ${JSON.stringify(explanation)}`,
    ).toBe(true);
    expect(places, `each of its places needs its reason: ${JSON.stringify(explanation)}`).toBeLessThanOrEqual(1);
  }
});
