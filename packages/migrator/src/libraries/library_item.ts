import { statSync } from "node:fs";
import { countText } from "@perdura/cli/quantities.js";
import { databaseReport } from "../report/new_reports.ts";
import type { DatabaseReport } from "../report/report.ts";
import type { Run } from "../run/run.ts";
import { refusalOfPatterns } from "../patterns/refusal.ts";
import { type LibrarySurvey, surveyLibrary } from "./survey_library.ts";

/** The name of a library's layout in a report. */
const LIBRARY_LAYOUT = "json-library";

/** A report on a pattern library in JSON about which nothing is known yet. */
export function libraryReport(path: string): DatabaseReport {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return { ...databaseReport(path, bytes), layout: LIBRARY_LAYOUT, layout_title: "pattern library in JSON" };
}

/** Looks at a library, and puts what was found into its report. */
export function lookAtLibrary(report: DatabaseReport, run: Run): LibrarySurvey {
  const survey = surveyLibrary(report.path, run.settings);
  report.tables = [{ table: "patterns", rows: survey.patterns }];
  report.odd_rows = survey.odd;
  report.notes = survey.notes;
  report.steps = stepsOf(survey, run.settings);
  return survey;
}

/** The decisions that are open, in a sentence; null where none is. */
export function undecidedIn(survey: LibrarySurvey, { settings }: Run): string | null {
  const isSetAside = settings.invalidRows === "quarantine";
  // What stands beside the patterns cannot be set aside.
  return refusalOfPatterns(survey.odd.filter(({ kind }) => !isSetAside || kind === "library_non_finite"));
}

function stepsOf(
  { repaired, unreadable, nonFinite, odd }: LibrarySurvey,
  { invalidRows, ...decisions }: Run["settings"],
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
