import type { MutantCoverage } from "@stryker-mutator/api/core";

/**
 * What a file of tests reaches when it is loaded, or prepares something for all its tests, each of these tests may notice.
 * Stryker would try such a mutant on all tests of all files.
 *
 * @param coverage Of one file; it is changed.
 * @param tests Those that ran, as Stryker names them.
 */
export function reachedByAllTests(coverage: MutantCoverage | undefined, tests: readonly string[]): void {
  if (coverage === undefined) return;
  for (const test of tests) {
    const own = (coverage.perTest[test] ??= {});
    for (const [mutant, hits] of Object.entries(coverage.static)) own[mutant] = (own[mutant] ?? 0) + hits;
  }
  // The counters go on in the same object.
  for (const mutant of Object.keys(coverage.static)) delete coverage.static[mutant];
}
