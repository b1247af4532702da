import type { Database } from "@perdura/internals/sqlite/open_database.js";

/**
 * One change to a database. `plan` prints the titles, `up` runs the steps inside its transaction, and the rehearsal runs
 * them on an empty twin: one list, so that what is promised is what is done.
 */
export interface Step {
  title: string;
  run: (database: Database) => void;
}
