import type { Workers } from "../io/child/workers.ts";
import type { Cleanup, HasSettings, Progress } from "../core/run.ts";
import type { EarlyCopies } from "../io/early_copy.ts";
import { statSync } from "node:fs";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import type { FoundDatabase } from "../core/discovery.ts";
import type { DatabaseReport } from "../core/report.ts";
import { stopOf } from "../core/stop.ts";
import { concludeChanged, type Done, lookAgain } from "./after_commit.ts";
import { type Backup, makeBackup } from "../io/backup.ts";
import type { CopyLine } from "../io/copy_database.ts";
import { assertSameFile, fileAt } from "./same_file.ts";
import { useSmallCache } from "../io/small_cache.ts";

/** A change of a whole database, there or back. */
export interface Change<Plan> {
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
