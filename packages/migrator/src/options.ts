import { statSync } from "node:fs";
import { resolve } from "node:path";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";
import type { ProgressEvent } from "./report/progress.ts";

/** How a migration is done. Every field has a safe default. */
export interface MigrationOptions {
  /**
   * What to do with rows that the layout of version 16 cannot hold (a level outside 1 to 5, text in a number column, NULL
   * where none is allowed). `abort` (the default) changes nothing and lists them; `quarantine` moves them, value by value
   * as they are, into the side table `perdura_quarantine` of the same database.
   */
  invalidRows?: "abort" | "quarantine" | undefined;
  /**
   * What to do with rows whose level a program of 15.0.0 or later destroyed. `abort` (the default) changes nothing and
   * explains the choices; a number from 1 to 5 is taken for all of them; `from-state` takes the current level that the
   * user's collaboration state holds; `from-state,3` does that, and takes 3 for users without one. What was assumed is
   * recorded in the table `perdura_assumed_levels` of the migrated database.
   */
  missingLevel?: MissingLevelOption | undefined;
  /**
   * Where the data come from. `auto` (the default) recognises each database by itself; `15` says that all of them are of
   * before 16, so that one which is in the layout of 16 already stops the run.
   */
  lineFrom?: "auto" | "15" | undefined;
  /** Keep a copy of each database as it was, beside it or in `backupDir`. Default true. */
  backup?: boolean | undefined;
  /** An existing directory for the backups; by default each lies beside its database. */
  backupDir?: string | undefined;
  /** Directories that hold collaboration states, beside those that are recognised by themselves. */
  stateDirectories?: readonly string[] | undefined;
  /**
   * What stays under the old name `metrics` of a field layout, so that a program of the old line cannot silently begin a
   * second table: `tombstone` (the default) is a view that makes such a program fail with a clear message; `compat` is a
   * view through which a program that is running goes on reading and recording.
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
  /** `revertMigration` and `pruneMigration`: only say what would be done. Default false. */
  dryRun?: boolean | undefined;
  /** `pruneMigration`: remove the backups of databases too, once they were compared once more. Default false. */
  pruneBackups?: boolean | undefined;
  /** Longest wait for other users of a database, in milliseconds. Default 5000. */
  busyTimeoutMs?: number | undefined;
  /** Write the report beside the data when something was changed. Default true. */
  saveReport?: boolean | undefined;
  /** Called at every step. */
  onProgress?: ((event: ProgressEvent) => void) | undefined;
  /** Stops at the next step when aborted; the database at work is rolled back. */
  signal?: AbortSignal | undefined;
}

/** See {@link MigrationOptions.missingLevel}. */
export type MissingLevelOption = "abort" | "from-state" | `from-state,${Level}` | Level;

type Level = 1 | 2 | 3 | 4 | 5;

/** Where the level of a row comes from that has none; null: from nowhere, so that such rows stop the migration. */
export interface MissingLevel {
  fromState: boolean;
  /** The level of rows whose user has no state with a level; of all rows where `fromState` is false. */
  otherwise: number | null;
}

/** Options with every default filled in. */
export interface Settings {
  invalidRows: "abort" | "quarantine";
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

/** @throws ValidationError naming the option that is wrong; nothing has been read or written. */
export function settingsFrom(options: MigrationOptions = {}): Settings {
  return {
    invalidRows: oneOf("invalidRows", options.invalidRows ?? "abort", ["abort", "quarantine"]),
    missingLevel: missingLevelOf(options.missingLevel ?? "abort"),
    lineFrom: oneOf("lineFrom", options.lineFrom ?? "auto", ["auto", "15"]),
    backup: options.backup ?? true,
    backupDir: options.backupDir === undefined ? null : directory("backupDir", options.backupDir),
    stateDirectories: (options.stateDirectories ?? []).map((path) => directory("stateDirectories", path)),
    fence: oneOf("fence", options.fence ?? "tombstone", ["tombstone", "compat", "none"]),
    verify: oneOf("verify", options.verify ?? "full", ["full", "quick"]),
    rehearse: options.rehearse ?? false,
    deferIndexes: options.deferIndexes ?? false,
    dryRun: options.dryRun ?? false,
    pruneBackups: options.pruneBackups ?? false,
    busyTimeoutMs: options.busyTimeoutMs ?? 5_000,
    saveReport: options.saveReport ?? true,
    onProgress: options.onProgress ?? (() => undefined),
    signal: options.signal,
  };
}

function oneOf<Choice extends string>(option: string, value: Choice, choices: readonly Choice[]): Choice {
  if (choices.includes(value)) return value;
  throw new ValidationError(
    `${option}: expected ${choices.map((choice) => `"${choice}"`).join(" or ")}, got ${describe(value)}. Nothing was changed.`,
  );
}

function missingLevelOf(value: MissingLevelOption): MissingLevel | null {
  if (value === "abort") return null;
  const match = /^(?:(from-state)(?:,([1-5]))?|([1-5]))$/.exec(String(value));
  if (match !== null) {
    const level = match[2] ?? match[3];
    return { fromState: match[1] !== undefined, otherwise: level === undefined ? null : Number(level) };
  }
  throw new ValidationError(
    `missingLevel: expected "abort", "from-state", "from-state,N" or a level N from 1 to 5, got ${describe(value)}. Nothing was changed.`,
  );
}

function directory(option: string, path: string): string {
  if (typeof path === "string" && path !== "" && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    return resolve(path);
  throw new ValidationError(`${option}: expected an existing directory, got ${describe(path)}. Nothing was changed.`);
}
