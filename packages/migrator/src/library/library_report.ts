import type { Settings } from "../core/options.ts";
import type { HasSettings, Progress } from "../core/run.ts";
import { statSync } from "node:fs";
import { countText } from "@perdura/cli/quantities.js";
import { databaseReport, type DatabaseReport, type MigrationReport } from "../core/report.ts";
import { refusalOfPatterns } from "../database/patterns/survey_patterns.ts";
import { type LibrarySurvey, surveyLibrary } from "./survey_library.ts";
import type { Discovery } from "../core/discovery.ts";
import { backupsOf } from "../io/copy_database.ts";
import { stopOf } from "../core/stop.ts";
import { assertWritable } from "../io/access.ts";
import { noteUnplanned } from "../database/inspect/sound.ts";

/** The name of a library's layout in a report. */
const LIBRARY_LAYOUT = "json-library";

/** A report on a pattern library in JSON about which nothing is known yet. */
export function libraryReport(path: string): DatabaseReport {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return { ...databaseReport(path, bytes), layout: LIBRARY_LAYOUT, layout_title: "pattern library in JSON" };
}

/** Looks at a library, and puts what was found into its report. */
export function lookAtLibrary(report: DatabaseReport, run: HasSettings): LibrarySurvey {
  const survey = surveyLibrary(report.path, run.settings);
  report.tables = [{ table: "patterns", rows: survey.patterns }];
  report.odd_rows = survey.odd;
  report.notes = survey.notes;
  report.steps = stepsOf(survey, run.settings);
  return survey;
}

/** The decisions that are open, in a sentence; null where none is. */
export function undecidedIn(survey: LibrarySurvey, { settings }: HasSettings): string | null {
  const isSetAside = settings.invalidRows === "quarantine";
  // What stands beside the patterns cannot be set aside.
  return refusalOfPatterns(survey.odd.filter(({ kind }) => !isSetAside || kind === "library_non_finite"));
}

function stepsOf(
  { repaired, unreadable, nonFinite, odd }: LibrarySurvey,
  { invalidRows, ...decisions }: Settings,
): string[] {
  if (odd.length === 0) return [];
  const count = repaired.size;
  return [
    ...(count > 0 || (nonFinite && decisions.nonFinite !== null) ? [`repair ${countText(count, "pattern")}`] : []),
    ...(unreadable.size > 0 && invalidRows === "quarantine"
      ? [
          `leave out ${countText(unreadable.size, "pattern")} that version 16 cannot read; the backup has the whole file`,
        ]
      : []),
  ];
}

/**
 * Adds what a command has to say about the pattern libraries in JSON to its report. One of which there is nothing to say
 * stays among what is left alone.
 */
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

/** Says what a pattern library in JSON is, and what there is to go back to. */
export async function statusOfLibrary(path: string, run: Progress & HasSettings): Promise<DatabaseReport> {
  const report = libraryReport(path);
  try {
    await run.stage(path, "inspect", "reading every pattern");
    report.backups = backupsOf(path, run.settings.backupDir).map((backup) => ({
      path: backup,
      bytes: statSync(backup).size,
    }));
    const { odd } = lookAtLibrary(report, run);
    report.steps = [];
    report.status = odd.length === 0 ? "nothing_to_do" : "planned";
  } catch (error) {
    const stop = stopOf(error, path);
    if (stop.status === "interrupted") throw stop;
    report.status = stop.status;
    report.reason = stop.message;
  }
  return report;
}

/** Says what `up` would do with a pattern library in JSON. Cannot write. */
export async function planLibrary(path: string, run: Progress & HasSettings): Promise<DatabaseReport> {
  const report = libraryReport(path);
  try {
    await run.stage(path, "inspect", "reading every pattern");
    const survey = lookAtLibrary(report, run);
    report.reason = undecidedIn(survey, run);
    report.status = report.reason !== null ? "refused" : report.steps.length === 0 ? "nothing_to_do" : "planned";
    const { backupDir, rehearse } = run.settings;
    // A rehearsal reads only.
    if (report.status === "planned" && !rehearse) assertWritable(path, backupDir);
  } catch (error) {
    noteUnplanned(report, error, run);
  }
  return report;
}
