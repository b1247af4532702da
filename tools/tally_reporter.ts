import type { Reporter, TestModule } from "vitest/node";

/** Ends a run with the one line that every continuous integration reads: `N passed, N failed`. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      // A file that could not even be loaded has no tests; it counts as one failure.
      if (module.children.size === 0 && !module.ok()) counts.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed" || state === "failed") counts[state] += 1;
        else counts.skipped += 1;
      }
    }
    const skipped = counts.skipped === 0 ? "" : `, ${counts.skipped} skipped`;
    // After the other reporters, whose summaries are printed in the same turn.
    process.once("exit", () => console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`));
  }
}
