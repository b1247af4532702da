/** The report of `sums`, `forget` and `compact`. Its JSON Schema is `schemas/maintenance-report.schema.json`. */

/** Outcome for one database or state directory. */
export type MaintenanceStatus =
  /** With `dryRun`: there is something to do. */
  | "planned"
  | "done"
  | "nothing_to_do"
  /** Has no interactions of perdura. */
  | "left_alone"
  /** Needs a decision first; see `reason`. */
  | "refused"
  | "in_use"
  /** Failed; what was done before stays, and the next run continues. */
  | "failed"
  | "interrupted"
  /** The command ended before this item. */
  | "not_started";

/** Work on one database. */
export interface MaintainedDatabase {
  /** For a schema in PostgreSQL its address, without a password. */
  path: string;
  /** Null for a schema in PostgreSQL. */
  bytes: number | null;
  status: MaintenanceStatus;
  /** Reason why it was refused, left alone or failed; otherwise null. */
  reason: string | null;
  /** Stable name of the layout; null if it could not be read. */
  layout: string | null;
  /** `sums`: interactions that were added to the sums. */
  summed: number;
  /** `forget`: interactions that were deleted, or would be. After an interruption, the number so far. */
  interactions: number;
  /** `forget`: those of them that had metadata, which are deleted as well; with `orphans`, metadata without an interaction. After an interruption, the number so far. */
  metadata: number;
  /** `forget`: uses of patterns that were deleted, or would be. After an interruption, the number so far. */
  usage_rows: number;
  /** `compact`: size of the file afterwards; otherwise null. */
  bytes_after: number | null;
  /** `forget`: tables of the database with records of the migration, which it does not change. */
  kept_tables: { table: string; rows: number }[];
}

/** Work on one directory of collaboration states. */
export interface MaintainedStates {
  path: string;
  status: MaintenanceStatus;
  reason: string | null;
  /** State files of the user that were deleted, or would be. */
  states: number;
  /**
   * `forget`: temporary files, which programs left that were killed while they saved a state of any user, that were
   * deleted, or would be.
   */
  unfinished: number;
}

/** The result of a maintenance command, in the API and as JSON. */
export interface MaintenanceReport {
  format: "perdura-maintenance-report";
  format_version: 1;
  command: "sums" | "forget" | "compact";
  /** `forget`: true if the bytes are to be overwritten as well. They are in each database with the status `done`. */
  erase: boolean;
  /** True if nothing could be written. */
  dry_run: boolean;
  tool_version: string;
  started_at: string;
  finished_at: string;
  targets: string[];
  /** 0 done or nothing to do, 1 failed, 3 needs a decision, 5 in use, 130 interrupted. What was done before stays. */
  exit_code: 0 | 1 | 3 | 5 | 130;
  /** Summary in one or two sentences. */
  summary: string;
  databases: MaintainedDatabase[];
  state_directories: MaintainedStates[];
  /**
   * `forget`: backups, archives and reports of perdura-migrate, and temporary files that a program may still write. They
   * may have the same data and are not changed.
   */
  not_reached: string[];
  /** Paths that need a decision before they can be read. */
  refused: { path: string; reason: string }[];
  /** Faults that do not concern the data or the outcome. */
  notes: string[];
}

/** A report on a database before any work. */
export function maintainedDatabase(path: string, bytes: number | null): MaintainedDatabase {
  return {
    path,
    bytes,
    status: "not_started",
    reason: null,
    layout: null,
    summed: 0,
    interactions: 0,
    metadata: 0,
    usage_rows: 0,
    bytes_after: null,
    kept_tables: [],
  };
}
