import type { NonFinite } from "@perdura/internals/json/load_options.js";
import type { TimestampRepair } from "@perdura/internals/validity/convert_timestamp.js";
export type { TimestampRepair } from "@perdura/internals/validity/convert_timestamp.js";
import type { ProgressEvent } from "./progress.ts";

/** Options of every function. */
export interface CommonOptions {
  /** An existing directory with the backups, or for them; by default each backup is next to its database. */
  backupDir?: string | undefined;
  /**
   * Directories with collaboration states, in addition to those that the search recognises. A missing one can be named
   * as long as its archive is next to its place.
   */
  stateDirectories?: readonly string[] | undefined;
  /** Maximum wait for other users of a database, in milliseconds. Default 5000. */
  busyTimeoutMs?: number | undefined;
  /**
   * Called at every step. If it throws, the run stops as if it was aborted: the change in progress is rolled back,
   * finished ones stay, and the function rejects with the thrown value.
   */
  onProgress?: ((event: ProgressEvent) => void) | undefined;
  /** Stops at the next step when aborted; the change in progress is rolled back. */
  signal?: AbortSignal | undefined;
}

/** Options of a migration. Every field has a safe default. */
export interface MigrationOptions extends CommonOptions {
  /**
   * Treatment of rows that the layout of version 16 cannot hold (a level outside 1 to 5, text in a number column, NULL
   * in a required column) and of patterns that version 16 cannot read. `abort` (the default) changes nothing and lists
   * them; `quarantine` moves them unchanged into the side table `perdura_quarantine` of the same database, patterns
   * together with their usage.
   */
  invalidRows?: "abort" | "quarantine" | undefined;
  /**
   * Replacement of the tokens `NaN`, `Infinity` and `-Infinity` in patterns and JSON libraries, which are not JSON:
   * `null` inserts null, which version 16 reads as the default of the field (0.5 for `confidence`); `text` inserts the
   * strings `"NaN"`, `"Infinity"` and `"-Infinity"`, or null where a field cannot hold text. Without it such patterns
   * count as rows that version 16 cannot hold. `downgradeMigration` restores the originals.
   */
  nonFinite?: NonFinite | undefined;
  /**
   * Conversion of timestamps of patterns that do not have the form of section 2.1: `drop-zone` leaves a time zone out,
   * `utc` converts to UTC. With either, a number counts seconds since 1970 in UTC (milliseconds if it is that large), a
   * date alone means its midnight, missing seconds are 0, other forms of ISO 8601 are converted, and empty text becomes
   * null. Without it such patterns count as rows that version 16 cannot hold. `downgradeMigration` restores the originals.
   */
  timestamps?: TimestampRepair | undefined;
  /**
   * Identifiers for patterns whose `id` or `agent_id` cannot be one: with `assign` a number becomes its text, a blob its
   * text in UTF-8 or its bytes in hexadecimal, an empty, missing or duplicate `id` becomes a new unique one, an empty or
   * missing `agent_id` becomes `unknown`, and NUL characters and halves of surrogate pairs become `%` and their code. The
   * contributions of a JSON library and the usage in a database follow. Without it such patterns count as rows that
   * version 16 cannot hold. `downgradeMigration` restores the originals.
   */
  patternIds?: "assign" | undefined;
  /**
   * Treatment of rows whose level a program of 15.0.0 or later destroyed. `abort` (the default) changes nothing and
   * explains the choices; a number from 1 to 5 is the level of all of them; `from-state` uses the current level in the
   * user's collaboration state; `from-state,3` uses 3 for users without one; `from-table,NAME` uses the level of the
   * row with the same id and the same values in another table of the database, which was renamed or remains from an
   * interrupted upgrade; `from-file,PATH` uses the level of the row with the same id and the same values in a copy of the
   * database; `from-table,NAME,3` and `from-file,PATH,3` use 3 for rows without a level there. A name or path in double
   * quotes may itself end with such a number. The table `perdura_assumed_levels` of the
   * migrated database records these levels.
   */
  missingLevel?: MissingLevelOption | undefined;
  /**
   * Treatment of references to tables that do not exist, which an old SQLite left after a rename. Version 16 could not
   * save to such a database. `abort` (the default) changes nothing and names them; `repair` replaces the name of the
   * table in the definition by that of the specification: `pattern_usage` refers to `patterns`, `interaction_metadata`
   * to `interactions`. `downgradeMigration` restores the former definition.
   */
  brokenReferences?: "abort" | "repair" | undefined;
  /** Keep a backup of each original database, next to it or in `backupDir`. Default true. */
  backup?: boolean | undefined;
  /**
   * Object under the old name `metrics` of a field layout, so that a pre-16 program cannot silently start a second
   * table: `tombstone` (the default) is a view that makes such a program fail with a clear message; `none` creates no
   * view.
   */
  fence?: "tombstone" | "none" | undefined;
  /** Do everything on a private copy, including the proof, and leave the original unchanged. Default false. */
  rehearse?: boolean | undefined;
  /** Save the report next to the data if something was changed. Default true. */
  saveReport?: boolean | undefined;
}

/** Options of `downgradeMigration`. */
export interface DowngradeOptions extends CommonOptions, Pick<MigrationOptions, "backup" | "saveReport"> {
  /** Only report what would be done. Default false. */
  dryRun?: boolean | undefined;
}

/** Options of `pruneMigration`. */
export interface PruneOptions extends CommonOptions, Pick<MigrationOptions, "saveReport"> {
  /** Only report what would be removed. Default false. */
  dryRun?: boolean | undefined;
  /** Also remove the backups of databases, after another comparison. Default false. */
  pruneBackups?: boolean | undefined;
}

/** The options of any function. */
export type AnyOptions = MigrationOptions & DowngradeOptions & PruneOptions;

/** See {@link MigrationOptions.missingLevel}. */
export type MissingLevelOption =
  | "abort"
  | "from-state"
  | `from-state,${1 | 2 | 3 | 4 | 5}`
  | `from-table,${string}`
  | `from-file,${string}`
  | 1
  | 2
  | 3
  | 4
  | 5;

/** Source of the level of rows that have none; null: no source, so that such rows stop the migration. */
export interface MissingLevel {
  fromState: boolean;
  /** Name of the table with levels and rows; null if no table is used. */
  fromTable: string | null;
  /** Path of a copy of the database with levels; null if none is used. */
  fromFile: string | null;
  /** The level of rows for which no source has one; null if none was chosen. */
  otherwise: number | null;
}

type Value<Name extends keyof AnyOptions> = Exclude<AnyOptions[Name], undefined>;

/** Options whose value is one of a few words. */
type Choice = "invalidRows" | "nonFinite" | "timestamps" | "patternIds" | "brokenReferences" | "fence";

/** The values of these options. Where an option has a default, it is the first value. */
export const CHOICES: { readonly [Name in Choice]: readonly [Value<Name>, ...Value<Name>[]] } = {
  invalidRows: ["abort", "quarantine"],
  nonFinite: ["null", "text"],
  timestamps: ["drop-zone", "utc"],
  patternIds: ["assign"],
  brokenReferences: ["abort", "repair"],
  fence: ["tombstone", "none"],
};

/** Options without a default. */
type WithoutDefault = "backupDir" | "nonFinite" | "timestamps" | "patternIds";

/** All options, with their defaults filled in; null if nothing was chosen and there is no default. */
export type Settings = {
  [Name in Exclude<keyof AnyOptions, "missingLevel" | "signal">]-?:
    | Value<Name>
    | (Name extends WithoutDefault ? null : never);
} & { missingLevel: MissingLevel | null; signal: AbortSignal | undefined };

/** Part of a run: its settings. */
export interface HasSettings {
  readonly settings: Settings;
}

/** The same run with other settings; it ends with the original one. */
export function withSettings<Of extends HasSettings>(run: Of, settings: Partial<Settings>): Of {
  const other = Object.create(Object.getPrototypeOf(run) as object) as Of;
  return Object.assign(other, run, { settings: { ...run.settings, ...settings } });
}
