import type { Check } from "./check.ts";

/**
 * Runs checks and prints each with its outcome, and the tally.
 *
 * @param groups Groups to run, which are the beginnings of names; all if empty.
 * @returns The exit code.
 */
export async function runChecks(all: readonly Check[], groups: readonly string[]): Promise<number> {
  let passed = 0;
  const failed: string[] = [];
  for (const { name, run } of all) {
    if (groups.length > 0 && !groups.includes(name.slice(0, name.indexOf(":")))) {
      console.log(`not run  ${name}`);
      continue;
    }
    const began = performance.now();
    const problem = await run();
    console.log(
      `${problem === undefined ? "     ok" : " FAILED"}  ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`,
    );
    if (problem === undefined) passed += 1;
    else {
      failed.push(name);
      console.log(problem.trimEnd().replaceAll(/^/gm, "         "));
    }
  }
  console.log(`\n${passed} passed, ${failed.length} failed, ${all.length - passed - failed.length} not run`);
  return failed.length === 0 ? 0 : 1;
}
