import { dirname } from "node:path";
import { syncDirectory } from "@perdura/internals/files/atomic_write.js";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { inspectDatabase } from "../inspect/inspect_database.ts";
import type { DatabaseReport } from "../report/report.ts";
import type { Run } from "../run/run.ts";
import { type Stop, stopOf } from "../stop.ts";

/** The database is migrated; makes that survive a power cut, or says that it may not. */
export function concludeMigrated(report: DatabaseReport): void {
  report.status = "migrated";
  try {
    syncDirectory(dirname(report.path));
  } catch (error) {
    const { message } = stopOf(error, report.path);
    report.notes.push(
      `migrated, but not certain to survive a power cut: the directory could not be synced (${message})`,
    );
  }
}

/**
 * An error that comes once COMMIT was tried says nothing about the database: the change may be made, or be rolled back
 * by the journal that is left. So it is opened and looked at again.
 */
export function lookAgain(report: DatabaseReport, stop: Stop, run: Run): void {
  try {
    if (isMigrated(report.path, run)) {
      report.status = "migrated";
      report.notes.push(
        `migrated, but not certain to survive a power cut: the commit ended with an error (${stop.message})`,
      );
    } else {
      report.status = stop.status;
      report.reason = stop.status === "failed" ? `${stop.message} The database is as it was.` : stop.message;
    }
  } catch (error) {
    const { message } = stopOf(error, report.path);
    const backup = report.backup?.kept === true ? ` The database as it was is ${report.backup.path}.` : "";
    report.status = "uncertain";
    report.reason = `${stop.message} Whether the change was made is not known, because the database could not be opened again: ${message}${backup}`;
  }
}

function isMigrated(path: string, run: Run): boolean {
  // Not read-only: a journal that is left has to be rolled back before anything can be read.
  const database = openDatabase(path, { access: "query", busyTimeoutMs: run.settings.busyTimeoutMs });
  try {
    const { layout, conversion } = inspectDatabase(database, run.settings);
    return layout.treatment === "keep" && conversion.steps.length === 0;
  } finally {
    database.close();
  }
}
