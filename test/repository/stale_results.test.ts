import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { staleResults } from "../../dev/tools/measurements/stale_results.ts";
import { freshFolder } from "../fresh_folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("results that pages quote must be of the last hundred commits", async () => {
  const copy = freshFolder();
  const git = (...words: string[]): void =>
    void execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.org", ...words], { cwd: copy });
  for (const folder of ["dev/bench/results", "dev/soak/results"])
    cpSync(join(root, folder), join(copy, folder), { recursive: true });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Measure");
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
    "dev/bench/results/record-full-bare.json was measured 101 commits ago: run pnpm bench record-full-bare --json > dev/bench/results/record-full-bare.json, then pnpm generate",
  );
});
