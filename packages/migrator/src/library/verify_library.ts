import type { Workers } from "../io/child/workers.ts";
import type { HasSettings, Progress } from "../core/run.ts";
import { statSync } from "node:fs";
import type { DatabaseReport } from "../core/report.ts";
import { stopOf } from "../core/stop.ts";
import { backupIsGone } from "../database/proof/choose_backup.ts";
import { libraryReport } from "./library_report.ts";
import { backupOfLibrary, stateOf } from "./repair_library.ts";
import { surveyLibrary } from "./survey_library.ts";

/**
 * Compares a pattern library in JSON with its backup, and reads it as version 16 does.
 *
 * @param reported The backup that the report of an earlier run names.
 * @returns Undefined for one that was never migrated and is read.
 */
export async function verifyLibrary(
  path: string,
  run: Progress & HasSettings & Workers,
  reported: string | undefined,
): Promise<DatabaseReport | undefined> {
  const report = libraryReport(path);
  await run.stage(path, "compare", "reading every pattern");
  const backup = backupOfLibrary(path, run, reported);
  try {
    const survey = surveyLibrary(path, { nonFinite: null, timestamps: null });
    report.tables = [{ table: "patterns", rows: survey.patterns }];
    const unreadable = survey.odd.map(({ rows, description }) => `${rows}: ${description}`).join("; ");
    if (backup === undefined) {
      if (unreadable === "") {
        if (reported === undefined) return undefined;
        backupIsGone(report, reported);
        return report;
      }
      report.odd_rows = survey.odd;
      report.status = "differs";
      report.reason = `Version 16 cannot read patterns of it (${unreadable}). Run plan, which shows the choices.`;
      return report;
    }
    const sha256 = await run.files.hash(backup);
    report.backup = { path: backup, bytes: statSync(backup).size, sha256, reused: false, kept: true };
    const state = stateOf(path, backup);
    report.status = state === "repaired" ? "verified" : "not_compared";
    if (state === "original") report.reason = `It is not migrated, and ${backup} is a copy of it as it is.`;
    else if (unreadable !== "") {
      report.status = "differs";
      report.reason = `A program has saved it since the migration, and version 16 cannot read patterns of it (${unreadable}).`;
    } else if (state === "saved_since")
      report.reason = `A program has saved it since the migration. Version 16 reads all of it; the original is in ${backup}.`;
  } catch (error) {
    const stop = stopOf(error, path);
    report.status = stop.status === "refused" ? "differs" : stop.status;
    report.reason = backup === undefined ? stop.message : `${stop.message} Its backup is ${backup}.`;
  }
  return report;
}
