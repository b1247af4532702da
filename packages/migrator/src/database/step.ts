import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { InPieces, Progress, Stage } from "../core/progress.ts";

/**
 * One change to a database. `plan` prints the titles, `up` runs the steps inside its transaction, and the rehearsal runs
 * them on an empty replica: one list, so that what is promised is what is done.
 */
export interface Step {
  /** Set where others go by what a step does. */
  kind?: "build-index";
  title: string;
  run: (database: Database) => void;
  /** The same work cut into pieces, where it can take long and be cut. */
  pieces?: (database: Database) => InPieces<void>;
  /** True for one statement that can take long: nothing is heard of it until it is done. */
  whole?: boolean;
}

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
