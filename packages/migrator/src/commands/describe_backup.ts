import { basename } from "node:path";
import { lstatSync } from "node:fs";
import { NO_DECISION } from "@perdura/internals/validity/decide_patterns.js";
import type { HasSettings } from "../core/options.ts";
import type { Progress } from "../core/progress.ts";
import { databaseReport, type DatabaseReport } from "../core/report.ts";
import { stopOf } from "../core/stop.ts";
import { readLayout } from "../database/status_of_database.ts";
import { isDatabaseHeader } from "../find/classify.ts";
import type { Workers } from "../io/child/workers.ts";
import { whileReading } from "../io/readable_database.ts";
import { databaseOfBackup, isBackupElsewhere } from "../io/own_files.ts";
import { libraryReport } from "../library/library_report.ts";
import { surveyLibrary } from "../library/survey_library.ts";

/** Reports what a named backup is, if the database or library that it was made from is not at its place. */
export async function describeBackup(path: string, run: Progress & HasSettings & Workers): Promise<DatabaseReport> {
  const bytes = lstatSync(path).size;
  let report = databaseReport(path, bytes);
  try {
    await run.stage(path, "compare", "reading the backup");
    const [header] = await run.files.headers([path]);
    const head = header?.bytes ?? Buffer.alloc(0);
    if (isDatabaseHeader(head)) {
      const wal = head[18] === 2 || head[19] === 2;
      await whileReading({ path, bytes, wal, refusal: null }, run, (database) => readLayout(database, report));
    } else {
      report = libraryReport(path);
      const { patterns } = surveyLibrary(path, { ...NO_DECISION, invalidRows: "abort" });
      report.tables = [{ table: "patterns", rows: patterns }];
    }
    report.status = "not_compared";
    const source = basename(databaseOfBackup(path));
    report.reason = `Nothing to compare it with: ${source} is not in the directory of this backup. The backup is readable.${isBackupElsewhere(path) ? ` Specify ${source} in its own directory, with --backup-dir.` : ""}`;
  } catch (error) {
    const stop = stopOf(error, path);
    // A backup is not migrated, so it needs no decision.
    report.status = stop.status === "refused" ? "failed" : stop.status;
    report.reason = stop.message;
  }
  return report;
}
