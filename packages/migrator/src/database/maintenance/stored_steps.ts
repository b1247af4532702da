import { runWithPausesAsync, type Watch } from "@perdura/internals/sqlite/pauses.js";
import type { Progress, ProgressEvent } from "../../core/progress.ts";

type Step = Pick<ProgressEvent, "path" | "stage" | "detail">;

/**
 * Runs work whose steps are stored one by one, with pauses for other writers, progress, and an end between two steps if
 * the run was interrupted.
 */
export function runStoredSteps<Result>(
  work: Generator<{ done: number; total: number } | void, Result>,
  haveOthersWritten: Watch,
  step: Step,
  run: Progress,
): Promise<Result> {
  function* steps(): Generator<void, Result> {
    for (;;) {
      const next = work.next();
      if (next.done === true) return next.value;
      if (next.value !== undefined) run.reportProgress({ ...step, ...next.value, unit: "rows" });
      yield;
      run.assertNotInterrupted();
    }
  }
  return runWithPausesAsync(steps(), haveOthersWritten);
}
