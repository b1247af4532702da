/** The report of every command. Its JSON Schema is `schemas/report.schema.json`; names are the wire names. */

/** Outcome for one database or state directory. */
export type ItemStatus =
  /** `plan`: `up` would do it. */
  | "planned"
  | "migrated"
  | "archived"
  | "nothing_to_do"
  /** `up` with `rehearse`: done and proved on a private copy; the original is unchanged. */
  | "rehearsed"
  /** `down`: has the pre-16 layout again. */
  | "downgraded"
  /** `down`: the state directory was restored from its archive. */
  | "restored"
  /** `prune`: the files that are no longer needed were removed. */
  | "pruned"
  /** Not perdura's data, or not to be changed by the migrator. */
  | "left_alone"
  /** Needs a decision first; see `reason`. */
  | "refused"
  | "in_use"
  /** Failed; the data is unchanged, except for the entries that `restored` and `removed` of a state directory count. */
  | "failed"
  /** The commit may have succeeded, and the database could not be read again; `reason` describes what to do. */
  | "uncertain"
  | "interrupted"
  /** `up` stopped before this item. */
  | "not_started"
  /** `verify`: equal to its backup or source. */
  | "verified"
  | "differs"
  /** `verify`: no backup or source to compare with. */
  | "not_compared";

/**
 * A decision with which `up` would continue: `quarantine` (`--invalid-rows quarantine`), `repair` (`--non-finite` and
 * `--timestamps`, with quarantine for all other invalid rows), `broken-references` (`--broken-references repair`),
 * `missing-level` (`--missing-level`).
 */
export type Decision = "quarantine" | "repair" | "broken-references" | "missing-level";

/** Rows of one kind that do not conform to the specification. */
export interface UnusualRows {
  /** Stable name, for example `level_out_of_range`. */
  kind: string;
  /** The kind as text. */
  description: string;
  rows: number;
  /**
   * True if version 16 cannot hold or read such rows, and no decision repairs them: they stop the migration or are
   * quarantined.
   */
  blocks: boolean;
  /** The option that repairs such rows; null if they can only be quarantined. */
  decision: "nonFinite" | "timestamps" | "patternIds" | null;
  /** For patterns and JSON libraries: each option that repairs such a problem, and what it does. */
  ways?: { option: string; result: string }[];
  /** The effect of the decisions on it; absent without such a decision. */
  repair?: string;
  /** For patterns and JSON libraries: the first few places, each a JSON Pointer, or a row and a column. */
  places?: string[];
  /** The most frequent values as SQL literals, with their numbers of rows. */
  values: { literal: string; rows: number }[];
  /** The first few row ids, as text; for patterns their own ids. */
  row_ids: string[];
}

/** A combination of decisions after which version 16 reads all patterns of a database or a library. */
export interface PatternChoice {
  non_finite: "null" | "text" | null;
  timestamps: "drop-zone" | "utc" | null;
  pattern_ids: "assign" | null;
  invalid_rows: "abort" | "quarantine";
  /** Number of patterns that are quarantined. */
  quarantined: number;
  /** Number of values outside the patterns that are removed. */
  removed: number;
  /** Number of values that are changed. */
  changed: number;
}

/** Rows whose level is lost, and the choices. */
export interface MissingLevels {
  rows: number;
  users: number;
  /** Users whose collaboration state has a current level; null if no states were read. */
  users_with_state: number | null;
  /** Some of the users without one. */
  users_without_state: string[];
  /** Other tables of the database that have a level for some of the rows, with the number of these rows. */
  tables: { table: string; rows: number }[];
  /** Files next to the database that have a level for some of the rows, with the number of these rows. */
  files: { path: string; rows: number }[];
  /** Description of the cause. */
  explanation: string;
  choices: { option: string; meaning: string }[];
}

/** Levels that were not in the data. */
export interface AssumedLevels {
  level: number;
  rows: number;
  /** null in `status` if the record has no numbers of users. */
  users: number | null;
  /**
   * `option`: from `missingLevel`; `table`: from another table of the database; `file`: from a copy of the database;
   * `state`: from the collaboration states of the users; `kept`: from before an earlier `down`.
   */
  source: "option" | "table" | "file" | "state" | "kept";
}

/** Rows of a second metrics table that were merged into `interactions`, whose own rows kept their ids. */
export interface MergedRows {
  table: string;
  rows: number;
  /** Difference between the new and the old id of a row. */
  id_offset: number;
  first_id: number | null;
  last_id: number | null;
}

/** A migration that a database records. */
export interface PastMigration {
  number: number;
  /** UTC, ISO 8601. */
  migrated_at: string;
  tool_version: string;
  layout: string;
  fence: "tombstone" | null;
}

/** The backup of the original database. */
export interface BackupReport {
  path: string;
  bytes: number;
  sha256: string;
  /** True if an earlier, interrupted run had made it. */
  reused: boolean;
  /** False with `--no-backup`: the copy was used for the proof and removed. */
  kept: boolean;
}

/** A table other than the interactions, compared row by row with the copy. */
export interface OtherTable {
  table: string;
  /** Number of rows in the copy. */
  rows: number;
  /** Number of patterns in quarantine; their usage is there as well. */
  quarantined: number;
  /** Number of repaired values of patterns. */
  repaired: number;
  /** For `verify`: rows that differ, which does not count as a difference, because programs of 16 write to them. */
  changed_since: number;
}

/** Result of the proof or the verification. */
export interface VerificationReport {
  /** `pages`: files compared byte by byte, the change concerned the schema only; `rows`: every value compared. */
  method: "pages" | "rows";
  /** Rows of the metrics table before and after. `null` without such a table. */
  rows_before: number | null;
  rows_after: number | null;
  rows_quarantined: number;
  /** Number of rows of the side table `interaction_metadata` that were compared. */
  metadata_rows: number;
  /** `verify` only: number of rows that were recorded since the migration. */
  rows_added_since: number;
  other_tables: OtherTable[];
  /** All differences between before and after; empty if the proof holds. */
  differences: string[];
}

/** Findings about one database, and the work on it. */
export interface DatabaseReport {
  path: string;
  bytes: number;
  status: ItemStatus;
  /** Reason why it was refused, left alone or failed; otherwise null. */
  reason: string | null;
  /** Stable name of the layout, for example `documented-15`, `field-a`, `combined-a`; null if it could not be read. */
  layout: string | null;
  /** Description of the layout. */
  layout_title: string | null;
  tables: { table: string; rows: number }[];
  unusual_rows: UnusualRows[];
  /** The combinations of decisions about its patterns that help, best first; empty if none is needed, or none helps. */
  pattern_choices: PatternChoice[];
  missing_levels: MissingLevels | null;
  /**
   * The decisions that a refused database needs, each tried in the plan. Empty if no option helps: then the reason
   * describes what to correct first.
   */
  decisions: Decision[];
  assumed_levels: AssumedLevels[];
  merged: MergedRows | null;
  /** `status`: the past migrations, oldest first. */
  history: PastMigration[];
  /** Steps of the work, in order. */
  steps: string[];
  notes: string[];
  disk: { path: string; needed_bytes: number; free_bytes: number } | null;
  backup: BackupReport | null;
  /** `status`: the existing backups of the database; pre-16 ones first, then those that `down` kept. */
  backups: { path: string; bytes: number }[];
  verification: VerificationReport | null;
  /** `prune`: files that were removed, or would be. */
  removed: string[];
}

/** Findings about one directory of collaboration states, and the work on it. */
export interface StateDirectoryReport {
  path: string;
  status: ItemStatus;
  reason: string | null;
  /** Regular files, links and directories below it. */
  entries: number;
  bytes: number;
  /** Number of readable state files, and list of the others. */
  states_ok: number;
  /** Readable state files with unusual values, which are kept unchanged. */
  states_unusual: { file: string; reason: string }[];
  states_broken: { file: string; reason: string }[];
  notes: string[];
  /** `plan`, `up`: maximum size of the archive, and free space in its place. */
  disk: { path: string; needed_bytes: number; free_bytes: number } | null;
  /** The newest archive; notes name older ones. */
  archive: { path: string; bytes: number; sha256: string | null } | null;
  /** `verify`: all differences between archives and directory. */
  differences: string[];
  /**
   * `down`: number of entries that were restored from the archives, or would be; also after a failure or an
   * interruption.
   */
  restored: number;
  /** `prune`: number of entries that were removed, or would be; also after a failure or an interruption. */
  removed: number;
}

/** A file or directory that is not data, or that is not to be changed. */
export interface FileLeftAlone {
  path: string;
  reason: string;
  /** Kind of a file that perdura-migrate made; absent for other files. */
  made?: "backup" | "archive" | "report" | "temporary";
}

/** The result of a command, in the API and as JSON. */
export interface MigrationReport {
  format: "perdura-migration-report";
  format_version: 1;
  command: "plan" | "up" | "verify" | "status" | "down" | "prune";
  /** True for `up` with `rehearse`: on private copies. */
  rehearsal: boolean;
  /** True if nothing could be written: `plan`, `status`, `verify`, and `down` and `prune` with `dryRun`. */
  dry_run: boolean;
  tool_version: string;
  started_at: string;
  finished_at: string;
  targets: string[];
  /**
   * 0 done or nothing to do, 1 failed (unchanged, except for the entries that `restored` and `removed` count), or
   * `verify` found nothing to compare, 3 needs a decision, 4 verification differs, 5 in use, 130 interrupted.
   */
  exit_code: 0 | 1 | 3 | 4 | 5 | 130;
  /** Summary in one or two sentences. */
  summary: string;
  databases: DatabaseReport[];
  state_directories: StateDirectoryReport[];
  left_alone: FileLeftAlone[];
  /** Paths that need a decision before they can be read, for example links that lead out of the target. */
  refused: { path: string; reason: string }[];
  /** Faults that do not concern the data or the outcome. */
  notes: string[];
  /** Path of this saved report, or null. */
  report_path: string | null;
}

/** A report on a database before it is inspected. */
export function databaseReport(path: string, bytes: number): DatabaseReport {
  return {
    path,
    bytes,
    status: "not_started",
    reason: null,
    layout: null,
    layout_title: null,
    tables: [],
    unusual_rows: [],
    pattern_choices: [],
    missing_levels: null,
    decisions: [],
    assumed_levels: [],
    merged: null,
    history: [],
    steps: [],
    notes: [],
    disk: null,
    backup: null,
    backups: [],
    verification: null,
    removed: [],
  };
}

/** A report on a state directory before it is inspected. */
export function stateDirectoryReport(path: string): StateDirectoryReport {
  return {
    path,
    status: "not_started",
    reason: null,
    entries: 0,
    bytes: 0,
    states_ok: 0,
    states_unusual: [],
    states_broken: [],
    notes: [],
    disk: null,
    archive: null,
    differences: [],
    restored: 0,
    removed: 0,
  };
}
