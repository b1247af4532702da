import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { InPieces } from "../core/progress.ts";

/**
 * One change to a database. `plan` prints the titles, `up` runs the steps inside its transaction, and the rehearsal runs
 * them on an empty twin: one list, so that what is promised is what is done.
 */
export interface Step {
  title: string;
  run: (database: Database) => void;
  /** The same work cut into pieces, where it can take long and be cut. */
  pieces?: (database: Database) => InPieces<void>;
  /** True for one statement that can take long: nothing is heard of it until it is done. */
  whole?: boolean;
}
