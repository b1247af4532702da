import type { DatabaseReport } from "../../core/report.ts";
import type { Catalog } from "../sql/catalog.ts";
import { hasPatterns } from "../layouts/known_layouts.ts";
import type { Layout } from "../layouts/layout.ts";
import { type MigrationRecord, quarantines } from "../record/migration_record.ts";
import type { Subject } from "../proof/subject.ts";

/** Findings about a backup. */
export interface BackupState extends Pick<Subject, "before" | "second" | "dropped"> {
  layout: Layout;
  /** Number of the migration that followed. */
  number: number;
}

type Choice = { path: string; state: BackupState } | { reason: string };

/**
 * Chooses the backup to prove a migrated database with: the newest from before a change of rows. A later one, made when
 * a lost index was built again, has the same damage that the proof is to find; it is used only if no earlier one exists.
 *
 * @param backups Oldest first, at least one.
 * @param now The migrated database.
 * @returns A reason if none can be the backup of such a database.
 */
export function chooseBackup(
  backups: readonly string[],
  now: { layout: Layout; catalog: Catalog; records: readonly MigrationRecord[] },
  read: (path: string) => BackupState,
): Choice {
  const faults: string[] = [];
  let later: Choice | undefined;
  for (const path of backups.toReversed()) {
    const state = attempt(() => read(path));
    if (state instanceof Error) faults.push(`Cannot read the backup ${path}: ${state.message}`);
    else if (isBefore16(state.layout) || isBeforeQuarantine(state, now.records)) return { path, state };
    else if (isIndexChange(state.layout, now)) later ??= { path, state };
    else faults.push(`The backup ${path} has no metrics table (${state.layout.title}).`);
  }
  return later ?? { reason: faults[0] ?? "There is no backup." };
}

/** True for a layout that can be migrated to version 16. */
export function isBefore16({ treatment }: Layout): boolean {
  return treatment === "rename" || treatment === "convert" || treatment === "merge";
}

/** True for a database of version 16 from which rows of other programs went to quarantine. */
function isBeforeQuarantine({ layout, number }: BackupState, records: readonly MigrationRecord[]): boolean {
  const next = records.find((record) => record.number === number);
  return layout.treatment === "keep" && next !== undefined && quarantines(next);
}

/** True if only indexes were built. A program of 16 may have added its metrics table to a pattern library since. */
function isIndexChange(before: Layout, { layout, catalog }: Parameters<typeof chooseBackup>[1]): boolean {
  if (before.treatment !== "keep") return false;
  return before.name === layout.name || (before.name === "patterns" && hasPatterns(catalog));
}

function attempt(read: () => BackupState): BackupState | Error {
  try {
    return read();
  } catch (error) {
    return error as Error;
  }
}

/** Reports that there is nothing to compare it with, or no reason to. */
export function reportNotCompared(report: DatabaseReport, layout: Layout): void {
  report.status = layout.treatment === "leave" ? "left_alone" : "not_compared";
  report.reason =
    layout.treatment === "keep"
      ? "There is no backup to compare with."
      : (layout.sentence ?? "The database is not migrated yet.");
}

/** Reports that the backup was removed manually: `prune` compares first, and reports the files that it removed. */
export function reportMissingBackup(report: DatabaseReport, backup: string): void {
  reportDifference(
    report,
    `Nothing was compared: the backup ${backup}, which the report of the migration names, does not exist. Move it back to this path, then run this command again.`,
  );
}

/** Reports the copy of a run that was killed before it changed anything. */
export function reportNotMigrated(report: DatabaseReport, copy: string): void {
  report.status = "not_compared";
  report.reason = `The database is not migrated. ${copy} is an identical copy, which up will use as the backup.`;
}

/** Reports that the caller named a backup that `down` made, and the database was migrated since. */
export function reportOtherLine(report: DatabaseReport, copy: string): void {
  report.status = "not_compared";
  report.reason = `The backup ${copy} is from a downgrade, and the database was migrated since. Specify the database to compare it with its backup from before the migration.`;
}

export function reportDifference(report: DatabaseReport, reason: string): void {
  report.status = "differs";
  report.reason = reason;
}

/** Reports a database that has a backup of its migration, but not a layout of 16. */
export function reportNotIn16(report: DatabaseReport, layout: Layout, backup: string): void {
  reportDifference(
    report,
    `The database is not in a layout of version 16, although a backup of its migration exists: ${backup}. ${explanation(layout)}`,
  );
}

function explanation(layout: Layout): string {
  if (layout.treatment === "merge") return "It has two metrics tables. Run up, which merges their rows.";
  if (!isBefore16(layout)) return "Another file has probably replaced it.";
  return "Possible causes: it was downgraded, and the backup that down made (.v16.bak) was removed; a migration is running; a migration was killed before it changed anything, and rows were recorded since; a pre-16 file replaced it. Run up to migrate it.";
}
