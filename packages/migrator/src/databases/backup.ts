import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncDirectory } from "@perdura/internals/files/atomic_write.js";
import { temporaryName } from "@perdura/internals/files/temporary_names.js";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { BACKUP_SUFFIX, numberedName } from "../discover/own_files.ts";
import type { Run } from "../run/run.ts";

/** A finished copy of a database as it was. */
export interface Backup {
  path: string;
  reused: boolean;
  /** False when it only serves the proof and goes away with the run. */
  kept: boolean;
}

/** Where the backups of a database are: `number` 1 is the first. */
function backupPath(database: string, backupDir: string | null, number: number): string {
  const place = backupDir === null ? database : join(backupDir, basename(database));
  return numberedName(place, BACKUP_SUFFIX, number);
}

/** The newest backup of a database, or undefined. */
export function newestBackup(database: string, backupDir: string | null): string | undefined {
  let newest: string | undefined;
  for (let number = 1; existsSync(backupPath(database, backupDir, number)); number += 1)
    newest = backupPath(database, backupDir, number);
  return newest;
}

/**
 * Copies a database whose write lock the caller holds, so that nobody changes it meanwhile. The copy is synced before it
 * gets its name, and never takes the place of another file; an equal one of an earlier run that was cut off is used.
 *
 * @param wal In WAL mode the newest rows are not in the file, and another process may move them there at any time: SQLite copies then.
 */
export async function makeBackup(database: string, wal: boolean, run: Run): Promise<Backup> {
  const { backupDir, backup: kept } = run.settings;
  const place = kept ? backupPath(database, backupDir, 1) : database;
  const temporary = join(dirname(place), temporaryName(basename(place), randomBytes(4).toString("hex")));
  try {
    await (wal ? copyThroughSqlite(database, temporary, run) : run.files.copy(database, temporary));
    if (!kept) return { path: temporary, reused: false, kept };
    return await putInPlace(database, temporary, run);
  } catch (error) {
    removeCopy(temporary);
    throw error;
  }
}

async function putInPlace(database: string, temporary: string, run: Run): Promise<Backup> {
  const newest = newestBackup(database, run.settings.backupDir);
  if (newest !== undefined && (await run.files.same(temporary, newest))) {
    rmSync(temporary);
    return { path: newest, reused: true, kept: true };
  }
  let number = 1;
  while (existsSync(backupPath(database, run.settings.backupDir, number))) number += 1;
  const path = backupPath(database, run.settings.backupDir, number);
  renameSync(temporary, path);
  syncDirectory(dirname(path));
  return { path, reused: false, kept: true };
}

async function copyThroughSqlite(database: string, temporary: string, run: Run): Promise<void> {
  // A second connection: SQLite does not copy through one that holds a write transaction.
  const source = openDatabase(database, { access: "query", busyTimeoutMs: run.settings.busyTimeoutMs });
  try {
    await source.backup(temporary, { progress: () => 1 << 30 });
  } finally {
    source.close();
  }
  // One file that needs no log beside it.
  const copy = openDatabase(temporary, { access: "existing" });
  try {
    copy.pragma("journal_mode = DELETE");
  } finally {
    copy.close();
  }
  chmodSync(temporary, statSync(database).mode & 0o7777);
  await run.files.sync(temporary);
}

/** Removes a copy that is not a backup, and what SQLite may have left beside it. */
export function removeCopy(path: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
}
