import { has, valueOf, valuesOf } from "@perdura/cli/option_table.js";
import type { Tools } from "@perdura/cli/run_program.js";
import type { AnyOptions } from "../core/options.ts";
import type { Arguments } from "./table.ts";

/** Options that only the API has. */
type OfApi = "busyTimeoutMs" | "saveReport";

/**
 * Converts options of the command line to options of the API. Their values were checked by the argument parser, except
 * for directories, which the API checks. Omitted options stay undefined: each function accepts its own options only.
 */
export function migrationOptions(
  given: Arguments,
  { progress, signal }: Pick<Tools, "progress" | "signal">,
): { [Name in Exclude<keyof AnyOptions, OfApi>]-?: AnyOptions[Name] } {
  const level = valueOf(given, "missing-level");
  return {
    invalidRows: valueOf(given, "invalid-rows") as AnyOptions["invalidRows"],
    nonFinite: valueOf(given, "non-finite") as AnyOptions["nonFinite"],
    timestamps: valueOf(given, "timestamps") as AnyOptions["timestamps"],
    patternIds: valueOf(given, "pattern-ids") as AnyOptions["patternIds"],
    missingLevel: (level?.length === 1 ? Number(level) : level) as AnyOptions["missingLevel"],
    brokenReferences: valueOf(given, "broken-references") as AnyOptions["brokenReferences"],
    fence: valueOf(given, "fence") as AnyOptions["fence"],
    rehearse: has(given, "rehearse") || undefined,
    dryRun: has(given, "dry-run") || undefined,
    pruneBackups: has(given, "backups") || undefined,
    backup: has(given, "no-backup") ? false : undefined,
    backupDir: valueOf(given, "backup-dir"),
    stateDirectories: valuesOf(given, "states"),
    onProgress: progress.print,
    signal,
  };
}
