/** The one report of every command. Its JSON Schema is `schemas/report.schema.json`; names are the wire names. */

/** How it went with one database or state directory. */
export type ItemStatus =
  /** `plan`: `up` would do it. */
  | "planned"
  | "migrated"
  | "archived"
  | "nothing_to_do"
  /** `up` with `rehearse`: done and proved on a private copy; the original is untouched. */
  | "rehearsed"
  /** `down`: in the layout of before 16 again. */
  | "reverted"
  /** `down`: the state directory is there again, from its archive. */
  | "restored"
  /** `prune`: what was no longer needed is removed. */
  | "pruned"
  /** No data of perdura, or not for the migrator to touch. */
  | "left_alone"
  /** Needs a decision first; `reason` says which. */
  | "refused"
  | "in_use"
  /** Failed; the data is as it was before, but for what `restored` and `removed` of a state directory say. */
  | "failed"
  /** The commit was cut short and the database could not be looked at again; `reason` says what to do. */
  | "uncertain"
  | "interrupted"
  /** `up` stopped before it came to this one. */
  | "not_started"
  /** `verify`: equal to its backup or source. */
  | "verified"
  | "differs"
  /** `verify`: there is nothing to compare with. */
  | "not_compared";

/** Rows of one kind that are not as the specification has them. */
export interface OddRows {
  /** Stable name, for example `level_out_of_range`. */
  kind: string;
  /** The same in words. */
  description: string;
  rows: number;
  /** True when version 16 cannot hold or read such rows, and no decision repairs them: they stop the migration or are quarantined. */
  blocks: boolean;
  /** The option that repairs such rows; null where they can be set aside only. */
  decision: "nonFinite" | "timestamps" | null;
  /** The most frequent values as SQL literals, and how many rows hold each. */
  values: { literal: string; rows: number }[];
  /** The first few row ids, as text; of patterns their own ids. */
  row_ids: string[];
}

/** Rows whose level is gone, and what can be done about it. */
export interface MissingLevels {
  rows: number;
  users: number;
  /** Users for whom a collaboration state holds a current level; null where no states were looked into. */
  users_with_state: number | null;
  /** Some of the users without one. */
  users_without_state: string[];
  /** Other tables of the database that have a level for some of the rows, and for how many. */
  tables: { table: string; rows: number }[];
  /** What happened, in plain words. */
  explanation: string;
  choices: { option: string; meaning: string }[];
}

/** Levels that were not in the data. */
export interface AssumedLevels {
  level: number;
  rows: number;
  /** null in `status` where the record does not tell them apart. */
  users: number | null;
  /** `option`: as `missingLevel` says; `table`: from another table of the database; `state`: from the collaboration states of the users; `kept`: from before an earlier `down`. */
  source: "option" | "table" | "state" | "kept";
}

/** Rows of a second metrics table that went into `interactions`, whose own rows kept their ids. */
export interface UnitedRows {
  table: string;
  rows: number;
  /** The new id of a row is its old one plus this. */
  id_offset: number;
  first_id: number | null;
  last_id: number | null;
}

/** A migration that a database tells of. */
export interface PastMigration {
  number: number;
  /** UTC, ISO 8601. */
  migrated_at: string;
  tool_version: string;
  layout: string;
  fence: "tombstone" | "compat" | null;
}

/** The copy of a database as it was. */
export interface BackupReport {
  path: string;
  bytes: number;
  sha256: string;
  /** True when an earlier run that was cut off had made it already. */
  reused: boolean;
  /** False with `--no-backup`: the copy served the proof and was removed. */
  kept: boolean;
}

/** A table beside the interactions, compared row by row with the copy. */
export interface OtherTable {
  table: string;
  /** Rows of the copy. */
  rows: number;
  /** Patterns that are in quarantine, with their usage. */
  quarantined: number;
  /** Values of patterns that were repaired. */
  repaired: number;
  /** For `verify`: rows that differ, which is no difference, since programs of 16 write to them. */
  changed_since: number;
}

/** What the proof compared, and what it found. */
export interface VerificationReport {
  /** `pages`: file compared byte by byte, and the change touched the schema only; `rows`: every value compared; `quick`: counts and ids. */
  method: "pages" | "rows" | "quick";
  /** Rows of the metrics table before, and where they are now. `null` where there is no such table. */
  rows_before: number | null;
  rows_after: number | null;
  rows_quarantined: number;
  /** Rows of the side table `interaction_metadata` that were compared. */
  metadata_rows: number;
  /** `verify` only: rows that were recorded since the migration. */
  rows_added_since: number;
  other_tables: OtherTable[];
  /** Every way in which before and after differ; empty when the proof holds. */
  differences: string[];
}

/** What was found in one database, and what was done with it. */
export interface DatabaseReport {
  path: string;
  bytes: number;
  status: ItemStatus;
  /** Why it was refused, left alone or failed; otherwise null. */
  reason: string | null;
  /** Stable name of the layout, for example `documented-15`, `field-a`, `combined-a`; null where it could not be read. */
  layout: string | null;
  /** The layout in words. */
  layout_title: string | null;
  tables: { table: string; rows: number }[];
  odd_rows: OddRows[];
  missing_levels: MissingLevels | null;
  assumed_levels: AssumedLevels[];
  united: UnitedRows | null;
  /** `status`: the migrations that were done, oldest first. */
  history: PastMigration[];
  /** What is done, in order. */
  steps: string[];
  notes: string[];
  disk: { path: string; needed_bytes: number; free_bytes: number } | null;
  backup: BackupReport | null;
  /** `status`: the copies of the database that are there; of before 16 first, then those that `down` kept. */
  backups: { path: string; bytes: number }[];
  verification: VerificationReport | null;
  /** `prune`: files that were removed, or would be. */
  removed: string[];
}

/** What was found in one directory of collaboration states, and what was done with it. */
export interface StateDirectoryReport {
  path: string;
  status: ItemStatus;
  reason: string | null;
  /** Regular files, links and directories below it. */
  entries: number;
  bytes: number;
  /** State files that could be read, and those that could not. */
  states_ok: number;
  /** Of those that could be read: with something odd inside, which is kept as it was written. */
  states_odd: { file: string; reason: string }[];
  states_broken: { file: string; reason: string }[];
  notes: string[];
  /** `plan`, `up`: what the archive needs at most, and what is free where it goes. */
  disk: { path: string; needed_bytes: number; free_bytes: number } | null;
  /** The newest archive; notes name older ones. */
  archive: { path: string; bytes: number; sha256: string | null } | null;
  /** `verify`: every way in which archives and directory differ. */
  differences: string[];
  /** `down`: entries that came back from the archives, or would; also where it failed or was interrupted after that. */
  restored: number;
  /** `prune`: entries that were removed, or would be; also where it failed or was interrupted after that. */
  removed: number;
}

/** The result of a command, in the library and as JSON. */
export interface MigrationReport {
  format: "perdura-migration-report";
  format_version: 1;
  command: "plan" | "up" | "verify" | "status" | "down" | "prune";
  /** True for `up` with `rehearse`: on private copies. */
  rehearsal: boolean;
  /** True where nothing could be written: `plan`, `status`, `verify`, and `down` and `prune` with `dryRun`. */
  dry_run: boolean;
  tool_version: string;
  started_at: string;
  finished_at: string;
  targets: string[];
  /** 0 done or nothing to do, 1 failed (unchanged, or `restored` and `removed` say how far it came), 3 needs a decision, 4 verification differs, 5 in use, 130 interrupted. */
  exit_code: 0 | 1 | 3 | 4 | 5 | 130;
  /** One sentence. */
  summary: string;
  databases: DatabaseReport[];
  state_directories: StateDirectoryReport[];
  left_alone: { path: string; reason: string }[];
  /** Things that need a decision before they can be looked at, for example links that lead out of the target. */
  refused: { path: string; reason: string }[];
  /** What went wrong beside the data; it does not change what happened to them. */
  notes: string[];
  /** Where this report was saved, or null. */
  report_path: string | null;
}

/** A report on a database about which nothing is known yet. */
export function databaseReport(path: string, bytes: number): DatabaseReport {
  return {
    path,
    bytes,
    status: "not_started",
    reason: null,
    layout: null,
    layout_title: null,
    tables: [],
    odd_rows: [],
    missing_levels: null,
    assumed_levels: [],
    united: null,
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

/** A report on a state directory about which nothing is known yet. */
export function stateDirectoryReport(path: string): StateDirectoryReport {
  return {
    path,
    status: "not_started",
    reason: null,
    entries: 0,
    bytes: 0,
    states_ok: 0,
    states_odd: [],
    states_broken: [],
    notes: [],
    disk: null,
    archive: null,
    differences: [],
    restored: 0,
    removed: 0,
  };
}
