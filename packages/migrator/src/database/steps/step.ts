import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { RowChange } from "./fired_triggers.ts";
import type { InPieces, Progress, Stage } from "../../core/progress.ts";

/**
 * One change to a database. `plan` prints the titles, `up` runs the steps inside its transaction, and the rehearsal
 * runs them on an empty replica: a single list keeps plan and work consistent.
 */
export interface Step {
  /** Set if other code depends on the kind of a step. */
  kind?: "build-index";
  title: string;
  run: (database: Database) => void;
  /** The same work in pieces, if it can take long and be divided. */
  pieces?: (database: Database) => InPieces<void>;
  /** Changes of rows that the user's triggers see. */
  changes?: readonly RowChange[];
  /** True for one statement that can take long: it reports no progress. */
  whole?: boolean;
}

/** Runs one step with progress reports, and checks for a request to stop if possible. */
export async function runStep(
  step: Step,
  database: Database,
  at: { path: string; stage: Stage },
  run: Progress,
): Promise<void> {
  await run.stage(
    at.path,
    at.stage,
    step.whole === true ? `${step.title} (one statement, cannot be interrupted)` : step.title,
  );
  if (step.pieces === undefined) step.run(database);
  else await run.inPieces({ ...at, detail: step.title }, step.pieces(database));
}
