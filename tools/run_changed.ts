/**
 * `run_changed.ts [--within SECONDS] [REF]` runs the tests that a change concerns by their imports: what is not committed, or
 * all since REF. Where they take longer than that, by what each took the last time, some of them.
 */
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { createVitest } from "vitest/node";
import { chooseTests } from "./tests/choose_tests.ts";
import { minutesText } from "./tests/minutes.ts";

const { values, positionals } = parseArgs({ options: { within: { type: "string" } }, allowPositionals: true });
const seconds = values.within === undefined ? Number.POSITIVE_INFINITY : Number(values.within);

const vitest = await createVitest({ changed: positionals[0] ?? true, watch: false });
try {
  await vitest.standalone();
  const { root, maxWorkers } = vitest.config;
  const specifications = await vitest.getRelevantTestSpecifications();
  // What changed, once that was asked for.
  const changed = (vitest.config.related ?? []).map((file) => relative(root, file));
  const concerned = specifications.map((specification) => {
    const file = relative(root, specification.moduleId);
    const last = vitest.cache.getTestSpecificationResult(specification);
    return { specification, file, took: last?.duration, first: changed.includes(file) || last?.failed === true };
  });
  const chosen = chooseTests(concerned, changed, seconds * 1000 * maxWorkers);
  if (chosen.length > 0) {
    const ran = await vitest.runTestSpecifications(chosen.map(({ specification }) => specification));
    if (ran.unhandledErrors.length > 0 || ran.testModules.some((module) => !module.ok())) process.exitCode = 1;
  }
  const left = concerned.filter((test) => !chosen.includes(test));
  const took = left.reduce((sum, test) => sum + (test.took ?? 0), 0) / maxWorkers;
  console.log(
    left.length === 0
      ? `The change concerns ${concerned.length} files of tests; all were run.`
      : `The change concerns ${concerned.length} files of tests; ${chosen.length} were run: the nearest by name, then the quickest. ` +
          `The others take about ${minutesText(took)}: pnpm test:changed --all`,
  );
} finally {
  await vitest.close();
}
