import type { MigrationOptions } from "../options.ts";
import type { ProgressEvent } from "../report/progress.ts";
import { type Arguments, has, valueOf, valuesOf } from "./arguments.ts";

/** What the library is told. The values were checked when the arguments were read; directories it checks itself. */
export function migrationOptions(
  given: Arguments,
  onProgress: (event: ProgressEvent) => void,
  signal: AbortSignal,
): MigrationOptions {
  const level = valueOf(given, "missing-level");
  return {
    invalidRows: valueOf(given, "invalid-rows") as MigrationOptions["invalidRows"],
    missingLevel: (level?.length === 1 ? Number(level) : level) as MigrationOptions["missingLevel"],
    lineFrom: valueOf(given, "line-from") as MigrationOptions["lineFrom"],
    fence: valueOf(given, "fence") as MigrationOptions["fence"],
    verify: valueOf(given, "verify") as MigrationOptions["verify"],
    rehearse: has(given, "rehearse"),
    deferIndexes: has(given, "defer-indexes"),
    dryRun: has(given, "dry-run"),
    pruneBackups: has(given, "backups"),
    backup: !has(given, "no-backup"),
    backupDir: valueOf(given, "backup-dir"),
    stateDirectories: valuesOf(given, "states"),
    onProgress,
    signal,
  };
}

const FLAGS: Record<string, string> = {
  backupDir: "--backup-dir",
  stateDirectories: "--states",
  directory: "--extract",
};

/** A sentence of the library about one of its options, with the name that the command line has for it. */
export function withFlagNames(sentence: string): string {
  return sentence.replace(/^(\w+):/, (match, option: string) => (option in FLAGS ? `${FLAGS[option]}:` : match));
}
