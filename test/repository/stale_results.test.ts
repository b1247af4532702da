import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { circumstances } from "../../dev/tools/measurements/circumstances.ts";
import { staleResults } from "../../dev/tools/measurements/stale_results.ts";
import { freshFolder } from "../fresh_folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A repository with the stored results, a page and a source, which are committed. */
function repositoryWithResults(): { copy: string; git: (...words: string[]) => string } {
  const copy = freshFolder();
  const git = (...words: string[]): string =>
    execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.org", ...words], {
      cwd: copy,
      encoding: "utf8",
    });
  for (const folder of ["dev/bench/results", "dev/soak/results"])
    cpSync(join(root, folder), join(copy, folder), { recursive: true });
  writeFileSync(join(copy, "README.md"), "# Figures\n");
  writeFileSync(join(copy, "dev/soak/main.ts"), "");
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Measure");
  return { copy, git };
}

test("results that pages quote must be of the last hundred commits", async () => {
  const { copy, git } = repositoryWithResults();
  const later = (commits: number): void => {
    for (let number = 1; number <= commits; number += 1)
      git("commit", "--quiet", "--allow-empty", "--message", `${number}`);
  };
  later(100);
  expect(await staleResults(copy)).toEqual([]);
  later(1);
  const stale = await staleResults(copy);
  expect(stale.length).toBeGreaterThan(9);
  expect(stale[0]).toBe(
    "dev/bench/results/record-full-bare.json was measured 101 commits ago: run pnpm bench record-full-bare --json > dev/bench/results/record-full-bare.json, then pnpm generate and pnpm format, and commit",
  );
});

test("one result after another is renewed on the same commit, and none on changed sources", () => {
  const { copy, git } = repositoryWithResults();
  const commit = git("rev-parse", "--short=12", "HEAD").trim();
  expect(circumstances(copy).commit).toBe(commit);
  // As the shell does before a benchmark, a trial at its end, and `pnpm generate`.
  writeFileSync(join(copy, "dev/bench/results/record-full-bare.json"), "");
  writeFileSync(join(copy, "dev/soak/results/crash.json"), "{}");
  appendFileSync(join(copy, "README.md"), "1.11 times\n");
  expect(circumstances(copy).commit).toBe(commit);
  expect(circumstances(join(copy, "dev/soak")).commit).toBe(commit);
  writeFileSync(join(copy, "dev/soak/main.ts"), "changed();\n");
  expect(circumstances(copy).commit).toBe(`${commit}-dirty`);
});
