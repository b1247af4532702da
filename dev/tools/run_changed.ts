/**
 * `run_changed.ts [--within SECONDS] [REF]` runs the tests that a change affects by their imports: an uncommitted
 * change, or everything since REF. If their last runs took longer than SECONDS, it selects some of them.
 */
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { createVitest } from "vitest/node";
import { minutesText } from "./tests/minutes.ts";
import { selectTests } from "./tests/select_tests.ts";

const { values, positionals } = parseArgs({ options: { within: { type: "string" } }, allowPositionals: true });
const seconds = values.within === undefined ? Number.POSITIVE_INFINITY : Number(values.within);

const vitest = await createVitest({ changed: positionals[0] ?? true, watch: false });
try {
  await vitest.standalone();
  const { root, maxWorkers } = vitest.config;
  const specifications = await vitest.getRelevantTestSpecifications();
  // Vitest stores the changed files there when it looks for the tests.
  const changed = (vitest.config.related ?? []).map((file) => relative(root, file));
  const affected = specifications.map((specification) => {
    const file = relative(root, specification.moduleId);
    const last = vitest.cache.getTestSpecificationResult(specification);
    const mustRun = changed.includes(file) || last?.failed === true;
    return { specification, file, durationMs: last?.duration, mustRun };
  });
  const selected = selectTests(affected, changed, seconds * 1000 * maxWorkers);
  if (selected.length > 0) {
    const ran = await vitest.runTestSpecifications(selected.map(({ specification }) => specification));
    if (ran.unhandledErrors.length > 0 || ran.testModules.some((module) => !module.ok())) process.exitCode = 1;
  }
  const leftOut = affected.filter((test) => !selected.includes(test));
  const leftOutMs = leftOut.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0) / maxWorkers;
  console.log(
    leftOut.length === 0
      ? `The change affects ${affected.length} test files; all were run.`
      : `The change affects ${affected.length} test files; ${selected.length} were run. ` +
          `The others take about ${minutesText(leftOutMs)}: pnpm test:changed --all`,
  );
} catch (error) {
  if ((error as { code?: unknown }).code !== "VITEST_GIT_COMMAND_FAILED") throw error;
  console.error(
    `run_changed: git failed to compare with ${positionals[0] ?? "HEAD"}. No test was run. Name a commit, a branch or a tag.`,
  );
  process.exitCode = 1;
} finally {
  await vitest.close();
}
