/**
 * `run_changed.ts [--within SECONDS] [REF]` runs the tests that a change affects, by their imports and by the files that
 * they read: an uncommitted change, or everything since REF. If their last runs took longer than SECONDS, it selects
 * some of them, and the figures of the run name the others.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createVitest } from "vitest/node";
import { minutesText } from "./tests/minutes.ts";
import { readersOf } from "./tests/readers.ts";
import { readFigures, writeFigures } from "./tests/run_figures.ts";
import { durationOf, selectTests } from "./tests/select_tests.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { values, positionals } = parseArgs({ options: { within: { type: "string" } }, allowPositionals: true });
const seconds = values.within === undefined ? Number.POSITIVE_INFINITY : Number(values.within);

const git = (...words: string[]): string[] =>
  execFileSync("git", words, { cwd: root, encoding: "utf8", maxBuffer: 1e8, stdio: ["ignore", "pipe", "ignore"] })
    .split("\n")
    .filter((line) => line !== "");

function changedFiles(ref: string): string[] | undefined {
  try {
    const committed = git("diff", "--name-only", "--merge-base", ref);
    return [...new Set([...committed, ...git("ls-files", "--others", "--exclude-standard")])];
  } catch {
    return undefined;
  }
}

/** `packages/backup/test (3), dev/soak/test (1)` */
function foldersText(files: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const file of files) {
    const folder = dirname(file).split("/").slice(0, 3).join("/");
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].map(([folder, count]) => `${folder} (${count})`).join(", ");
}

async function runTests(changed: readonly string[]): Promise<string> {
  const modules = git("ls-files", "--", "*.ts", "*.mjs").filter((file) => existsSync(join(root, file)));
  const readers = readersOf(root, changed, modules, (file) => readFileSync(join(root, file), "utf8"));
  const related = [...changed, ...readers].map((file) => join(root, file));
  const vitest = await createVitest({ watch: false });
  try {
    await vitest.standalone();
    vitest.config.related = related;
    const specifications = await vitest.getRelevantTestSpecifications();
    const affected = specifications.map((specification) => {
      const file = relative(root, specification.moduleId);
      const last = vitest.cache.getTestSpecificationResult(specification);
      const mustRun = changed.includes(file) || last?.failed === true;
      return { specification, file, durationMs: last?.duration, mustRun };
    });
    const selected = selectTests(affected, changed, seconds * 1000 * vitest.config.maxWorkers);
    if (selected.length > 0) {
      const ran = await vitest.runTestSpecifications(selected.map(({ specification }) => specification));
      if (ran.unhandledErrors.length > 0 || ran.testModules.some((module) => !module.ok())) process.exitCode = 1;
    }
    const notRun = affected.filter((test) => !selected.includes(test));
    if (notRun.length === 0) return `The change affects ${affected.length} test files; all were run.`;
    const milliseconds = notRun.reduce((sum, test) => sum + durationOf(test), 0) / vitest.config.maxWorkers;
    return (
      `Not run: ${notRun.length} of ${affected.length} affected test files, about ${minutesText(milliseconds)}, ` +
      `which \`pnpm test:changed --all\` also runs: ${foldersText(notRun.map(({ file }) => file))}`
    );
  } finally {
    await vitest.close();
  }
}

const ref = positionals[0] ?? "HEAD";
const changed = changedFiles(ref);
if (changed === undefined) {
  console.error(`run_changed: git failed to compare with ${ref}. No test was run. Name a commit, a branch or a tag.`);
  process.exitCode = 1;
} else {
  const notRun = await runTests(changed);
  // The reporter writes its figures at the end of the process, before this.
  process.once("exit", () => {
    const none = { passed: 0, failed: 0, failed_tests: [], skipped: [], cpu_seconds: {}, files: [] };
    writeFigures({ ...(readFigures() ?? none), not_run: notRun });
  });
}
