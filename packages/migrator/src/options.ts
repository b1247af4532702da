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
  /** Keep a copy of each database as it was, beside it or in `backupDir`. Default true. */
  backup?: boolean | undefined;
  /** An existing directory for the backups; by default each lies beside its database. */
  backupDir?: string | undefined;
  /** Directories that hold collaboration states, beside those that are recognised by themselves. */
  stateDirectories?: readonly string[] | undefined;
  /**
   * What stays under the old name `metrics` of a field layout, so that a program of the old line cannot silently begin a
   * second table: `tombstone` (the default) is a view that makes such a program fail with a clear message.
   */
  fence?: "tombstone" | "none" | undefined;
  /** Longest wait for other users of a database, in milliseconds. Default 5000. */
  busyTimeoutMs?: number | undefined;
  /** Write the report beside the data when something was changed. Default true. */
  saveReport?: boolean | undefined;
  /** Called at every step. */
  onProgress?: ((event: ProgressEvent) => void) | undefined;
  /** Stops at the next step when aborted; the database at work is rolled back. */
  signal?: AbortSignal | undefined;
}

/** Options with every default filled in. */
export interface Settings {
  invalidRows: "abort" | "quarantine";
  backup: boolean;
  backupDir: string | null;
  stateDirectories: string[];
  fence: "tombstone" | "none";
  busyTimeoutMs: number;
  saveReport: boolean;
  onProgress: (event: ProgressEvent) => void;
  signal: AbortSignal | undefined;
}

/** @throws ValidationError naming the option that is wrong; nothing has been read or written. */
export function settingsFrom(options: MigrationOptions = {}): Settings {
  return {
    invalidRows: oneOf("invalidRows", options.invalidRows ?? "abort", ["abort", "quarantine"]),
    backup: options.backup ?? true,
    backupDir: options.backupDir === undefined ? null : directory("backupDir", options.backupDir),
    stateDirectories: (options.stateDirectories ?? []).map((path) => directory("stateDirectories", path)),
    fence: oneOf("fence", options.fence ?? "tombstone", ["tombstone", "none"]),
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

function directory(option: string, path: string): string {
  if (typeof path === "string" && path !== "" && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    return resolve(path);
  throw new ValidationError(`${option}: expected an existing directory, got ${describe(path)}. Nothing was changed.`);
}
