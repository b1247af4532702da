import type { NonFinite } from "@perdura/internals/json/load_options.js";
import type { ProgressEvent } from "./progress.ts";

/** What every function takes. */
export interface CommonOptions {
  /** An existing directory for the backups, or where they are; by default each lies beside its database. */
  backupDir?: string | undefined;
  /**
   * Directories that hold collaboration states, beside those that are recognised by themselves. One that is gone can be
   * named as long as its archive lies beside its place.
   */
  stateDirectories?: readonly string[] | undefined;
  /** Longest wait for other users of a database, in milliseconds. Default 5000. */
  busyTimeoutMs?: number | undefined;
  /**
   * Called at every step. When it throws, the run stops as if it was aborted, whichever step that was: what was at work
   * is rolled back, what was finished before stays, and the function rejects with what was thrown.
   */
  onProgress?: ((event: ProgressEvent) => void) | undefined;
  /** Stops at the next step when aborted; the database at work is rolled back. */
  signal?: AbortSignal | undefined;
}

/** How a migration is done. Every field has a safe default. */
export interface MigrationOptions extends CommonOptions {
  /**
   * What to do with rows that the layout of version 16 cannot hold (a level outside 1 to 5, text in a number column, NULL
   * where none is allowed) and with patterns that version 16 cannot read. `abort` (the default) changes nothing and lists
   * them; `quarantine` moves them, value by value as they are, into the side table `perdura_quarantine` of the same
   * database, patterns together with their usage.
   */
  invalidRows?: "abort" | "quarantine" | undefined;
  /**
   * How patterns with the tokens `NaN`, `Infinity` and `-Infinity` in their context, which are not JSON, become readable:
   * `null` puts null there, `text` the strings `"NaN"`, `"Infinity"` and `"-Infinity"`. Without it such patterns count as
   * rows that version 16 cannot hold. `revertMigration` brings the originals back.
   */
  nonFinite?: NonFinite | undefined;
  /**
   * How timestamps of patterns that are not of the form of section 2.1 are brought into it: `drop-zone` leaves a time zone
   * out, `utc` makes it the time in UTC. With either, a number counts seconds since 1970 in UTC (milliseconds where it is
   * that large), a date alone is its midnight, and missing seconds are 0. Without it such patterns count as rows that
   * version 16 cannot hold. `revertMigration` brings the originals back.
   */
  timestamps?: TimestampRepair | undefined;
  /**
   * What to do with rows whose level a program of 15.0.0 or later destroyed. `abort` (the default) changes nothing and
   * explains the choices; a number from 1 to 5 is taken for all of them; `from-state` takes the current level that the
   * user's collaboration state holds; `from-state,3` does that, and takes 3 for users without one; `from-table,NAME` takes
   * the level of the row with the same id and the same values in another table of the database, which was renamed or is
   * left of an upgrade that was cut off, and adds the rows that only that table has; `from-table,NAME,3` takes 3 for rows
   * that it has no level for. A name in double quotes may end like that itself. What was assumed is recorded in the table `perdura_assumed_levels` of the migrated database.
   */
  missingLevel?: MissingLevelOption | undefined;
  /**
   * Where the data come from. `auto` (the default) recognises each database by itself; `15` says that all of them are of
   * before 16, so that one which is in the layout of 16 already stops the run.
   */
  lineFrom?: "auto" | "15" | undefined;
  /** Keep a copy of each database as it was, beside it or in `backupDir`. Default true. */
  backup?: boolean | undefined;
  /**
   * What stays under the old name `metrics` of a field layout, so that a program of the old line cannot silently begin a
   * second table: `tombstone` (the default) is a view that makes such a program fail with a clear message; `compat` is a
   * view through which a program that is running goes on reading and recording (a NULL that it gives becomes the default of
   * its column, as if it were not given).
   */
  fence?: "tombstone" | "compat" | "none" | undefined;
  /**
   * How `up` compares the result with the copy: `full` (the default) every value, `quick` counts and ids only. Where the
   * change touches no row, both compare the files byte by byte, which is quicker than either and leaves nothing out.
   */
  verify?: "full" | "quick" | undefined;
  /** Do everything on a private copy, proof included, and leave the original untouched. Default false. */
  rehearse?: boolean | undefined;
  /** Leave the building of indexes that are missing to a later run; the old ones stay until then. Default false. */
  deferIndexes?: boolean | undefined;
  /** Write the report beside the data when something was changed. Default true. */
  saveReport?: boolean | undefined;
}

/** How `revertMigration` goes back. */
export interface ReversionOptions extends CommonOptions, Pick<MigrationOptions, "backup" | "saveReport"> {
  /** Only say what would be done. Default false. */
  dryRun?: boolean | undefined;
}

/** What `pruneMigration` removes. */
export interface PruneOptions extends CommonOptions, Pick<MigrationOptions, "saveReport"> {
  /** Only say what would be removed. Default false. */
  dryRun?: boolean | undefined;
  /** Remove the backups of databases too, once they were compared once more. Default false. */
  pruneBackups?: boolean | undefined;
}

/** The options of whichever function. */
export type AnyOptions = MigrationOptions & ReversionOptions & PruneOptions;

/** See {@link MigrationOptions.timestamps}. */
export type TimestampRepair = "drop-zone" | "utc";

/** See {@link MigrationOptions.missingLevel}. */
export type MissingLevelOption =
  | "abort"
  | "from-state"
  | `from-state,${1 | 2 | 3 | 4 | 5}`
  | `from-table,${string}`
  | 1
  | 2
  | 3
  | 4
  | 5;

/** Where the level of a row comes from that has none; null: from nowhere, so that such rows stop the migration. */
export interface MissingLevel {
  fromState: boolean;
  /** Name of the table of each database that has levels and rows; null where none is asked. */
  fromTable: string | null;
  /** The level of rows that neither a state nor a table has one for. */
  otherwise: number | null;
}

/** Options with every default filled in. */
export interface Settings {
  invalidRows: "abort" | "quarantine";
  /** Null where nothing was decided. */
  nonFinite: NonFinite | null;
  /** Null where nothing was decided. */
  timestamps: TimestampRepair | null;
  missingLevel: MissingLevel | null;
  lineFrom: "auto" | "15";
  backup: boolean;
  backupDir: string | null;
  stateDirectories: string[];
  fence: "tombstone" | "compat" | "none";
  verify: "full" | "quick";
  rehearse: boolean;
  deferIndexes: boolean;
  dryRun: boolean;
  pruneBackups: boolean;
  busyTimeoutMs: number;
  saveReport: boolean;
  onProgress: (event: ProgressEvent) => void;
  signal: AbortSignal | undefined;
}

/** What was asked for. */
export interface HasSettings {
  readonly settings: Settings;
}

/** The same run with other settings; it ends with the first one. */
export function withSettings<Of extends HasSettings>(run: Of, settings: Partial<Settings>): Of {
  const other = Object.create(Object.getPrototypeOf(run) as object) as Of;
  return Object.assign(other, run, { settings: { ...run.settings, ...settings } });
}
