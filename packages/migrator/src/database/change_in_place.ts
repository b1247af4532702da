import { lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory } from "@perdura/internals/files/sync_directory.js";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { PlacedFile } from "@perdura/internals/sqlite/placed_file.js";
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

/** Effect of a committed transaction on a database. */
type ChangeStatus = "migrated" | "downgraded";

/** A change of a whole database, in either direction. */
interface Change<Plan> {
  done: ChangeStatus;
  /** Determines the name of the backup. */
  line: CopyLine;
  /**
   * Inspects the database again under the lock, because it may have changed since the plan.
   *
   * @returns Undefined if nothing is left to do, because another process did it meanwhile.
   */
  inspect: (database: Database) => Plan | undefined | Promise<Plan | undefined>;
  /** Makes the change and proves it by comparison with the backup. */
  make: (database: Database, plan: Plan, backup: Backup) => Promise<void>;
  /** True if the change was made; called after an error on a database that was opened again. */
  isDone: (database: Database) => boolean;
}

/**
 * Changes one database in place, in one transaction: locks it against writers, copies, changes, proves against the
 * copy, commits. Any failure before the commit leaves it unchanged; after a kill SQLite's journal restores it.
 */
export async function changeInPlace<Plan>(
  found: FoundDatabase,
  report: DatabaseReport,
  run: Progress & HasSettings & Workers & Cleanup & EarlyCopies,
  change: Change<Plan>,
): Promise<void> {
  const attempt = { committing: false };
  try {
    assertOneName(found.path);
    const database = openDatabase(found.path, { intent: "change", busyTimeoutMs: run.settings.busyTimeoutMs });
    const placed = new PlacedFile(database, found.path);
    try {
      useSmallCache(database);
      await inTransaction(database, found, report, run, change, attempt, () => {
        assertOneName(found.path);
        assertSameFiles(placed);
      });
    } finally {
      placed.close();
    }
    if (report.status === "not_started") concludeChanged(report, change.done);
  } catch (error) {
    const stop = stopOf(error, found.path);
    if (attempt.committing) return inspectAfterError(report, stop, run, change.done, change.isDone);
    Object.assign(report, { backup: null, verification: null } satisfies Partial<DatabaseReport>);
    report.status = stop.status;
    report.reason = stop.status === "failed" ? `${stop.message} The database was not changed.` : stop.message;
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
  // A change of the table must not cascade into others; this cannot be switched inside a transaction.
  database.pragma("foreign_keys = OFF");
  await run.stage(found.path, "lock", "waiting for other processes that use the database");
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
    // Without a migration, a copy must not remain: it would count as the backup of one. After an attempted COMMIT the
    // outcome is uncertain, so it stays.
    const isUseless = isRolledBack && !attempt.committing && backup?.reused === false;
    if (backup !== undefined && (isUseless || !backup.kept)) run.discard(backup.path);
  }
}

/** Syncs the changed database's directory, or notes that the change may not survive a power cut. */
function concludeChanged(report: DatabaseReport, done: ChangeStatus): void {
  report.status = done;
  try {
    syncDirectory(dirname(report.path));
  } catch (error) {
    const { message } = stopOf(error, report.path);
    report.notes.push(`the change may be lost in a power failure: the directory could not be synced (${message})`);
  }
}

/**
 * An error after an attempted COMMIT leaves the outcome uncertain: the change may be committed, or the remaining
 * journal may roll it back. So the database is opened and inspected again.
 *
 * @param isDone True if the change was made, for the database opened again.
 */
function inspectAfterError(
  report: DatabaseReport,
  stop: Stop,
  run: HasSettings & Cleanup,
  done: ChangeStatus,
  isDone: (database: Database) => boolean,
): void {
  try {
    if (isDoneAt(report.path, run, isDone)) {
      report.status = done;
      report.notes.push(`the change may be lost in a power failure: the commit ended with an error (${stop.message})`);
    } else {
      // Without a migration there is no backup, and no proof.
      if (report.backup?.reused === false) run.discard(report.backup.path);
      Object.assign(report, { backup: null, verification: null } satisfies Partial<DatabaseReport>);
      report.status = stop.status;
      report.reason = stop.status === "failed" ? `${stop.message} The database was not changed.` : stop.message;
    }
  } catch (error) {
    const { message } = stopOf(error, report.path);
    const backup = report.backup?.kept === true ? ` The backup from before the change is ${report.backup.path}.` : "";
    report.status = "uncertain";
    report.reason = `${stop.message} The change may have been committed. The database could not be opened to check: ${message} Run status before retrying.${backup}`;
  }
}

function isDoneAt(path: string, run: HasSettings, isDone: (database: Database) => boolean): boolean {
  // Not read-only: a remaining journal has to be rolled back before the database can be read.
  const database = openDatabase(path, { intent: "read", busyTimeoutMs: run.settings.busyTimeoutMs });
  try {
    return isDone(database);
  } finally {
    database.close();
  }
}

/**
 * SQLite would follow a link that was created after the plan to data that are not a target.
 *
 * @throws Stop unless it is a regular file with exactly one name, as when it was found.
 */
function assertOneName(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true && found.nlink === 1) return;
  const now =
    found === undefined
      ? "no longer exists"
      : found.isSymbolicLink()
        ? "is now a symbolic link"
        : found.isFile()
          ? "now has a second name"
          : "is no longer a regular file";
  throw new Stop(
    "refused",
    `The database ${now}; it was a regular file when it was inspected. Check what changed it, then run this command again.`,
  );
}

/** @throws Stop if other programs would not find the change. */
function assertSameFiles(placed: PlacedFile): void {
  if (!placed.isInPlace())
    throw new Stop(
      "refused",
      "Meanwhile another program replaced the database, or removed its log. Stop that program, then run this command again.",
    );
}

/** Space for the schema pages and a small journal. */
const MARGIN = 1 << 20;

/**
 * Maximum disk space of a migration, as parts of the database's size: 1 for the backup; 0.6 for new indexes; for the
 * field layouts 1 more for the journal of rewritten rows and 0.6 for the side table. All of it is needed next to the
 * database, except for a backup in a separate directory; a rehearsal needs all of it in the backup directory.
 */
export function diskNeed(
  path: string,
  bytes: number,
  treatment: Treatment,
  buildsIndexes: boolean,
  backupDir: string | null,
  rehearse = false,
): NonNullable<DatabaseReport["disk"]> {
  const change = (buildsIndexes ? 0.6 : 0) + (treatment === "convert" || treatment === "merge" ? 1.6 : 0);
  const place = rehearse ? rehearsalPlace(dirname(path), backupDir) : dirname(path);
  // A rehearsal has a copy to change, and a copy of that one.
  const copies = rehearse ? 2 : backupDir !== null && backupDir !== place ? 0 : 1;
  const needed = Math.ceil(bytes * (change + copies)) + MARGIN;
  return { path: place, needed_bytes: needed, free_bytes: freeBytes(place) };
}
