import type { Cleanup, HasSettings } from "../core/run.ts";
import { dirname } from "node:path";
import { syncDirectory } from "@perdura/internals/files/sync_directory.js";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import type { DatabaseReport } from "../core/report.ts";
import { type Stop, stopOf } from "../core/stop.ts";

/** What a transaction that was committed did to a database. */
export type Done = "migrated" | "reverted";

/** The database is changed; makes that survive a power cut, or says that it may not. */
export function concludeChanged(report: DatabaseReport, done: Done): void {
  report.status = done;
  try {
    syncDirectory(dirname(report.path));
  } catch (error) {
    const { message } = stopOf(error, report.path);
    report.notes.push(
      `${done}, but not certain to survive a power cut: the directory could not be synced (${message})`,
    );
  }
}

/**
 * An error that comes once COMMIT was tried says nothing about the database: the change may be made, or be rolled back
 * by the journal that is left. So it is opened and looked at again.
 *
 * @param isDone Says of an open database whether the change was made.
 */
export function lookAgain(
  report: DatabaseReport,
  stop: Stop,
  run: HasSettings & Cleanup,
  done: Done,
  isDone: (database: Database) => boolean,
): void {
  try {
    if (isIn(report.path, run, isDone)) {
      report.status = done;
      report.notes.push(
        `${done}, but not certain to survive a power cut: the commit ended with an error (${stop.message})`,
      );
    } else {
      // Of a migration that was not made there is no backup, and nothing was proved.
      if (report.backup?.reused === false) run.discard(report.backup.path);
      Object.assign(report, { backup: null, verification: null } satisfies Partial<DatabaseReport>);
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

function isIn(path: string, run: HasSettings, isDone: (database: Database) => boolean): boolean {
  // Not read-only: a journal that is left has to be rolled back before anything can be read.
  const database = openDatabase(path, { access: "query", busyTimeoutMs: run.settings.busyTimeoutMs });
  try {
    return isDone(database);
  } finally {
    database.close();
  }
}
