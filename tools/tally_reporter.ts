import type { Reporter, TestModule } from "vitest/node";

/** Ends a run with the one line that every continuous integration reads: `N passed, N failed`. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      const states = [...module.children.allTests()].map((test) => test.result().state);
      for (const state of states) counts[state === "passed" || state === "failed" ? state : "skipped"] += 1;
      // A file that could not be loaded, or prepared, has no test that failed; it counts as one failure.
      if (!module.ok() && !states.includes("failed")) counts.failed += 1;
    }
    const skipped = counts.skipped === 0 ? "" : `, ${counts.skipped} skipped`;
    // After the other reporters, whose summaries are printed in the same turn.
    process.once("exit", () => console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`));
  }
}
