import { lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory } from "@perdura/internals/files/sync_directory.js";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import type { FoundDatabase } from "../core/discovery.ts";
import type { HasSettings } from "../core/options.ts";
import type { Cleanup, Progress } from "../core/progress.ts";
import type { DatabaseReport } from "../core/report.ts";
import { Stop, stopOf } from "../core/stop.ts";
import { freeBytes, rehearsalPlace } from "../io/access.ts";
import { type Backup, makeBackup } from "../io/backup.ts";
import type { Workers } from "../io/child/workers.ts";
import type { CopyLine } from "../io/copy_database.ts";
import type { EarlyCopies } from "../io/early_copy.ts";
import { useSmallCache } from "../io/small_cache.ts";
import type { Treatment } from "./layouts/layout.ts";

/** What a transaction that was committed did to a database. */
type Done = "migrated" | "reverted";

/** A change of a whole database, there or back. */
interface Change<Plan> {
  done: Done;
  /** What the copy is called after. */
  line: CopyLine;
  /**
   * Looks at the database once more: the lock is ours now, and what was planned may have changed since.
   *
   * @returns Undefined when there is nothing left to do, because another process did it meanwhile.
   */
  inspect: (database: Database) => Plan | undefined | Promise<Plan | undefined>;
  /** Makes the change and proves it by the copy. */
  make: (database: Database, plan: Plan, backup: Backup) => Promise<void>;
  /** Says of a database that is looked at after an error whether the change was made. */
  isDone: (database: Database) => boolean;
}

/**
 * Changes one database in place, in one transaction: locked against writers, copied, changed, proved against the copy,
 * committed. Whatever happens before the commit leaves it as it was; SQLite's journal sees to that even after a kill.
 */
export async function changeInPlace<Plan>(
  found: FoundDatabase,
  report: DatabaseReport,
  run: Progress & HasSettings & Workers & Cleanup & EarlyCopies,
  change: Change<Plan>,
): Promise<void> {
  const attempt = { committing: false };
  try {
    const file = fileAt(found.path);
    const database = openDatabase(found.path, { access: "existing", busyTimeoutMs: run.settings.busyTimeoutMs });
    try {
      useSmallCache(database);
      await inTransaction(database, found, report, run, change, attempt, () => assertSameFile(found.path, file));
    } finally {
      database.close();
    }
    if (report.status === "not_started") concludeChanged(report, change.done);
  } catch (error) {
    const stop = stopOf(error, found.path);
    if (attempt.committing) return lookAgain(report, stop, run, change.done, change.isDone);
    Object.assign(report, { backup: null, verification: null } satisfies Partial<DatabaseReport>);
    report.status = stop.status;
    report.reason = stop.status === "failed" ? `${stop.message} The database is as it was.` : stop.message;
  }
}

async function inTransaction<Plan>(
  database: Database,
  found: FoundDatabase,
  report: DatabaseReport,
  run: Progress & HasSettings & Workers & Cleanup & EarlyCopies,
  { line, inspect, make }: Change<Plan>,
  attempt: { committing: boolean },
  assertInPlace: () => void,
): Promise<void> {
  // A change of the table must not cascade into others; cannot be switched inside a transaction.
  database.pragma("foreign_keys = OFF");
  await run.stage(found.path, "lock", "waiting for other users of the database");
  // IMMEDIATE takes the write lock now, so that the copy, the change and the proof see one state.
  database.exec("BEGIN IMMEDIATE");
  let backup: Backup | undefined;
  try {
    assertInPlace();
    const plan = await inspect(database);
    if (plan === undefined) {
      report.status = "nothing_to_do";
      return;
    }
    await run.stage(
      found.path,
      "backup",
      run.settings.backup ? "copying the database" : "copying the database for the proof",
    );
    backup = await makeBackup(found.path, database.pragma("journal_mode", { simple: true }) === "wal", run, line);
    await make(database, plan, backup);
    report.backup = { ...backup, bytes: statSync(backup.path).size };
    await run.stage(found.path, "commit", "committing");
    assertInPlace();
    attempt.committing = true;
    database.exec("COMMIT");
  } finally {
    const isRolledBack = database.inTransaction;
    if (isRolledBack) database.exec("ROLLBACK");
    // A copy that no migration was made with would be taken for the backup of one. Once COMMIT was tried, nobody knows yet.
    const isUseless = isRolledBack && !attempt.committing && backup?.reused === false;
    if (backup !== undefined && (isUseless || !backup.kept)) run.discard(backup.path);
  }
}

/** The database is changed; makes that survive a power cut, or says that it may not. */
function concludeChanged(report: DatabaseReport, done: Done): void {
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
function lookAgain(
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

/**
 * Tells which file a path leads to, so that it can be seen when another one takes its place: SQLite would follow a link
 * that was put there after the plan to data that nobody named, or go on in a file that has no name any more.
 *
 * @throws Stop when it is not a regular file with this one name, as it was when it was found.
 */
function fileAt(path: string): string {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (found?.isFile() === true && found.nlink === 1n) return `${found.dev}:${found.ino}`;
  const now =
    found === undefined
      ? "is gone"
      : found.isSymbolicLink()
        ? "is a symbolic link now"
        : found.isFile()
          ? "has a second name now"
          : "is no file any more";
  throw new Stop(
    "refused",
    `The database ${now}; it was a regular file when it was looked at. Look at what happened, then run again.`,
  );
}

/** @throws Stop when the path does not lead to that file any more. */
function assertSameFile(path: string, file: string): void {
  if (fileAt(path) !== file)
    throw new Stop(
      "refused",
      "Another file took the place of the database while it was at work. Stop the program that did it, then run this command again.",
    );
}

/** Room for the schema pages and a small journal. */
const MARGIN = 1 << 20;

/**
 * What a migration needs at most, as parts of the database's size: 1 for the backup; 0.6 for indexes that are built;
 * for the field layouts 1 more for the journal of rewritten rows and 0.6 for the side table. All of it goes beside the
 * database, but for a backup that has a directory of its own; of a rehearsal all of it goes where backups go.
 */
export function diskNeed(
  path: string,
  bytes: number,
  treatment: Treatment,
  buildsIndexes: boolean,
  backupDir: string | null,
  rehearse = false,
): NonNullable<DatabaseReport["disk"]> {
  const change = (buildsIndexes ? 0.6 : 0) + (treatment === "convert" || treatment === "unite" ? 1.6 : 0);
  const place = rehearse ? rehearsalPlace(dirname(path), backupDir) : dirname(path);
  // A rehearsal has a copy to change, and the copy of that.
  const copies = rehearse ? 2 : backupDir !== null && backupDir !== place ? 0 : 1;
  const needed = Math.ceil(bytes * (change + copies)) + MARGIN;
  return { path: place, needed_bytes: needed, free_bytes: freeBytes(place) };
}
