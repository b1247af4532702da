import type { Database } from "@perdura/internals/sqlite/open_database.js";

/** Writes rows that programs could store in spite of a CHECK. */
export function ignoringChecks(database: Database, write: () => void): void {
  database.pragma("ignore_check_constraints = ON");
  try {
    write();
  } finally {
    database.pragma("ignore_check_constraints = OFF");
  }
}
