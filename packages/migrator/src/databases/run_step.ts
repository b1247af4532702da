import type { Progress } from "../core/run.ts";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { Stage } from "../core/progress.ts";
import type { Step } from "./step.ts";

/** Does one step, says how far it is, and lets a request to stop arrive where that can be. */
export async function runStep(
  step: Step,
  database: Database,
  at: { path: string; stage: Stage },
  run: Progress,
): Promise<void> {
  await run.stage(
    at.path,
    at.stage,
    step.whole === true ? `${step.title} (one statement, not to be interrupted)` : step.title,
  );
  if (step.pieces === undefined) step.run(database);
  else await run.inPieces({ ...at, detail: step.title }, step.pieces(database));
}
