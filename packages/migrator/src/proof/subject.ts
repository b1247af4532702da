import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { MetricsTable } from "../databases/metrics_table.ts";
import type { LevelTable } from "../recognise/level_tables.ts";
import { useSmallCache } from "../io/small_cache.ts";

/**
 * What a proof is about: a connection to the migrated database (`main`) with the copy as it was attached (`backup`).
 */
export interface Subject {
  database: Database;
  /** The metrics table of the backup, or null. */
  before: MetricsTable | null;
  /** A second metrics table of the backup, whose rows joined those of the first, or null. */
  second: MetricsTable | null;
  /** Another table of the backup, whose rows that the first lacked were added and stayed in it as well, or null. */
  added: LevelTable | null;
  /** Indexes of the old layout that are gone on purpose. */
  dropped: readonly string[];
  /** True some time after the migration: programs of 16 have recorded rows and changed patterns since. */
  later: boolean;
  /** True where ids are to be compared only, and not what else is in the rows. */
  quick?: boolean | undefined;
}

/** Opens a copy beside the database, under the name that all proofs know it by. */
export function attachBackup(database: Database, path: string): void {
  database.prepare("ATTACH ? AS backup").run(path);
  useSmallCache(database, "backup");
}
