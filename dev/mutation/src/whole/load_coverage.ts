import type { MutantCoverage } from "@stryker-mutator/api/core";

/**
 * Counts what a file of tests reaches while it is loaded, or in hooks, as reached by each of its tests. Stryker would run
 * all tests of all files on such a mutant.
 *
 * @param coverage Of one file; it is changed.
 * @param tests The ids of the tests that ran.
 */
export function shareLoadCoverage(coverage: MutantCoverage | undefined, tests: readonly string[]): void {
  if (coverage === undefined) return;
  for (const test of tests) {
    const own = (coverage.perTest[test] ??= {});
    for (const [mutant, hits] of Object.entries(coverage.static)) own[mutant] = (own[mutant] ?? 0) + hits;
  }
  // The counters go on in the same object.
  for (const mutant of Object.keys(coverage.static)) delete coverage.static[mutant];
}
