import { statSync } from "node:fs";
import { countText } from "@perdura/cli/quantities.js";
import { NO_DECISION } from "@perdura/internals/validity/decide_patterns.js";
import type { Discovery } from "../core/discovery.ts";
import type { HasSettings } from "../core/options.ts";
import type { Progress } from "../core/progress.ts";
import {
  databaseReport,
  type DatabaseReport,
  type Decision,
  type MigrationReport,
  type PatternChoice,
  type VerificationReport,
} from "../core/report.ts";
import { Stop, stopOf, stopOfFound } from "../core/stop.ts";
import { reportUnplanned } from "../database/inspect/examine.ts";
import { reportMissingBackup } from "../database/verify/choose_backup.ts";
import { assertWritable } from "../io/access.ts";
import type { Workers } from "../io/child/workers.ts";
import { backupsOf } from "../io/copy_database.ts";
import { namesOfFile } from "@perdura/internals/files/hard_links.js";
import { isMountPoint } from "../io/mount_points.ts";
import { backupOfLibrary, compareLibrary } from "./compare_library.ts";
import type { SavedSince } from "./saved_since.ts";
import { type LibrarySurvey, surveyLibrary } from "./survey_library.ts";

/** The name of a library's layout in a report. */
export const LIBRARY_LAYOUT = "json-library";

/** A report on a pattern library in JSON before it is inspected. */
export function libraryReport(path: string): DatabaseReport {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return { ...databaseReport(path, bytes), layout: LIBRARY_LAYOUT, layout_title: "pattern library in JSON" };
}

/** Surveys a library, and puts the findings into its report. */
export function fillLibraryReport(report: DatabaseReport, run: HasSettings): LibrarySurvey {
  const survey = surveyLibrary(report.path, run.settings);
  report.tables = [{ table: "patterns", rows: survey.patterns }];
  report.unusual_rows = survey.unusual;
  report.notes = survey.notes;
  report.pattern_choices = survey.choices;
  report.steps = survey.steps;
  return survey;
}

/** Decisions after which the library can be migrated. */
function decisionsFor({ choices }: LibrarySurvey): Decision[] {
  const isRepair = ({ non_finite: tokens, timestamps, pattern_ids: ids }: PatternChoice): boolean =>
    tokens !== null || timestamps !== null || ids !== null;
  return [
    ...(choices.some(isRepair) ? (["repair"] as const) : []),
    ...(choices.every(isRepair) ? [] : (["quarantine"] as const)),
  ];
}

/**
 * @throws Stop for a library with a second name (hard link), which would keep the old content, and for a mount point,
 *   which cannot be replaced.
 */
export function assertReplaceable(path: string): void {
  const names = namesOfFile(path);
  if (names > 1)
    throw new Stop(
      "refused",
      `The library file has ${names} hard links. Replacing the file would leave the old content under the other names. Nothing was changed. Keep one link, then run this command again.`,
    );
  if (isMountPoint(path))
    throw new Stop(
      "refused",
      "The library file is a mount point, which cannot be replaced. Nothing was changed. Run this command where the mounted file is, or bind its directory instead of the single file.",
    );
}

/** Adds the reports of a command on the pattern libraries in JSON. A library without findings stays in `left_alone`. */
export async function addLibraries(
  report: MigrationReport,
  { libraries }: Discovery,
  look: (path: string) => Promise<DatabaseReport | undefined>,
): Promise<void> {
  for (const path of libraries) {
    const item = await look(path);
    const isSilent = item?.status === "nothing_to_do" && item.notes.length + item.backups.length === 0;
    if (item === undefined || isSilent) continue;
    report.databases.push(item);
    report.left_alone = report.left_alone.filter((left) => left.path !== path);
  }
}

/** The parts of the original that are only in the backup. */
function notesOn({ returning, repaired, notes }: SavedSince, backup: string): string[] {
  const parts = [
    ...(returning > 0 ? [`${countText(returning, "pattern")} in quarantine`] : []),
    ...(repaired > 0 ? [`${countText(repaired, "repaired value")}`] : []),
  ];
  return [
    ...(parts.length > 0 ? [`${parts.join(" and ")}: the original is in ${backup}, and down restores it`] : []),
    ...notes,
  ];
}

function verificationOf({ patterns, quarantined, repaired, changed }: SavedSince): VerificationReport {
  return {
    method: "rows",
    rows_before: null,
    rows_after: null,
    rows_quarantined: 0,
    metadata_rows: 0,
    rows_added_since: 0,
    other_tables: [{ table: "patterns", rows: patterns, quarantined, repaired, changed_since: changed }],
    differences: [],
  };
}

/**
 * Reports the state of a pattern library in JSON, and its backups.
 *
 * @param reported The backup that an earlier report names.
 */
export async function statusOfLibrary(
  path: string,
  run: Progress & HasSettings,
  reported: string | undefined,
): Promise<DatabaseReport> {
  const report = libraryReport(path);
  try {
    await run.stage(path, "inspect", "reading every pattern");
    report.backups = backupsOf(path, run.settings.backupDir).map((backup) => ({
      path: backup,
      bytes: statSync(backup).size,
    }));
    const { unusual } = fillLibraryReport(report, run);
    report.steps = [];
    report.status = unusual.length === 0 ? "nothing_to_do" : "planned";
    const backup = backupOfLibrary(path, run, reported);
    if (report.status === "planned" || backup === undefined) return report;
    const compared = compareLibrary(path, backup);
    if (compared.state === "original") return report;
    report.status = "migrated";
    const since = compared.state === "saved_since" ? compared.since() : undefined;
    if (since !== undefined) report.notes = [...report.notes, ...notesOn(since, backup)];
  } catch (error) {
    const stop = stopOfFound(error, path);
    if (stop.status === "interrupted") throw stop;
    report.status = stop.status;
    report.reason = stop.message;
  }
  return report;
}

/** Plans `up` for a pattern library in JSON. Cannot write. */
export async function planLibrary(path: string, run: Progress & HasSettings): Promise<DatabaseReport> {
  const report = libraryReport(path);
  try {
    await run.stage(path, "inspect", "reading every pattern");
    const survey = fillLibraryReport(report, run);
    const decisions = survey.pending === null ? [] : decisionsFor(survey);
    // Otherwise no decision would let `up` continue.
    if (survey.repaired !== undefined || decisions.length > 0) assertReplaceable(path);
    report.reason = survey.pending;
    report.decisions = decisions;
    report.status = report.reason !== null ? "refused" : survey.repaired === undefined ? "nothing_to_do" : "planned";
    const { backupDir, rehearse } = run.settings;
    // A rehearsal only reads.
    if (report.status === "planned" && !rehearse) assertWritable(path, backupDir);
  } catch (error) {
    reportUnplanned(report, error, run);
  }
  return report;
}

/**
 * Compares a pattern library in JSON with its backup, and reads it as version 16 does.
 *
 * @param reported The backup that an earlier report names.
 * @param named The backup to compare with, if the caller named one.
 * @returns Undefined for a readable library that was never migrated.
 */
export async function verifyLibrary(
  path: string,
  run: Progress & HasSettings & Workers,
  reported: string | undefined,
  named: string | undefined,
): Promise<DatabaseReport | undefined> {
  const report = libraryReport(path);
  await run.stage(path, "compare", "reading every pattern");
  const backup = named ?? backupOfLibrary(path, run, reported);
  try {
    const survey = surveyLibrary(path, { ...NO_DECISION, invalidRows: "abort" });
    report.tables = [{ table: "patterns", rows: survey.patterns }];
    const unreadable = survey.unusual.map(({ rows, description }) => `${rows}: ${description}`).join("; ");
    if (backup === undefined) {
      if (unreadable === "") {
        if (reported === undefined) return undefined;
        reportMissingBackup(report, reported);
        return report;
      }
      report.unusual_rows = survey.unusual;
      report.status = "differs";
      report.reason = `Version 16 cannot read some patterns (${unreadable}). Run plan to see the choices.`;
      return report;
    }
    const sha256 = await run.files.hash(backup);
    report.backup = { path: backup, bytes: statSync(backup).size, sha256, reused: false, kept: true };
    const compared = compareLibrary(path, backup);
    const { state } = compared;
    report.status = state === "repaired" ? "verified" : "not_compared";
    if (state === "original") report.reason = `The library is not migrated; ${backup} is an identical copy.`;
    if (compared.state !== "saved_since") return report;
    const since = compared.since();
    if (since === undefined)
      report.reason = `A program has replaced the library since the migration. Version 16 can read all patterns; the original is in ${backup}.`;
    else {
      report.status = "verified";
      report.notes = [...report.notes, ...since.notes];
      report.verification = verificationOf(since);
    }
    if (unreadable !== "" && (since === undefined || !since.isDowngraded)) {
      report.status = "differs";
      report.reason = `A program has saved the library since the migration, and version 16 cannot read some patterns (${unreadable}).`;
    }
  } catch (error) {
    const stop = stopOf(error, path);
    report.status = stop.status === "refused" ? "differs" : stop.status;
    report.reason = backup === undefined ? stop.message : `${stop.message} Its backup is ${backup}.`;
  }
  return report;
}
