import type { Suite } from "../results/file_result.ts";

/** How Stryker tries mutants of some files on a suite. */
export function strykerOptions(suite: Suite, files: readonly string[]): object {
  return {
    mutate: files,
    // In the copy: Node.js runs the mutated TypeScript from where the packages look for it.
    inPlace: true,
    testRunner: suite,
    plugins: ["./mutation/src/run/reporter.ts", `./mutation/src/${suite}/plugin.ts`],
    reporters: ["recording"],
    // Stryker would rewrite the paths of tsconfig files, and does not know TypeScript 7.
    tsconfigFile: "none.json",
    disableTypeChecks: false,
    checkers: [],
    coverageAnalysis: "perTest",
    concurrency: 1,
    testRunnerNodeArgs: ["--conditions=@perdura/source", "--no-warnings"],
    // Hangs end earlier, by the count of how often a mutant runs or by the tests' own limits.
    timeoutMS: 30_000,
    dryRunTimeoutMinutes: 60,
    warnings: { slow: false },
    allowConsoleColors: false,
    vitest: { configFile: "dev/mutation/src/whole/vitest_of_mutants.ts", related: false, pool: "forks" },
  };
}
