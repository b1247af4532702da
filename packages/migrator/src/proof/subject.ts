import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { MetricsTable } from "../databases/metrics_table.ts";

/**
 * What a proof is about: a connection to the migrated database (`main`) with the copy as it was attached (`backup`).
 */
export interface Subject {
  database: Database;
  /** The metrics table of the backup, or null. */
  before: MetricsTable | null;
  /** Indexes of the old layout that are gone on purpose. */
  dropped: readonly string[];
  /** True some time after the migration: programs of 16 have recorded rows and changed patterns since. */
  later: boolean;
}

/** The name under which the backup is attached. */
export const BACKUP_SCHEMA = "backup";
