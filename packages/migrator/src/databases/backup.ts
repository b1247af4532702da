import { randomBytes } from "node:crypto";
import { chmodSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncDirectory } from "@perdura/internals/files/atomic_write.js";
import { temporaryName } from "@perdura/internals/files/temporary_names.js";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { giveName } from "../placing/give_name.ts";
import { createPrivateFile } from "../placing/private_file.ts";
import type { Run } from "../run/run.ts";
import { backupsOf, nextBackupPath } from "./backup_place.ts";

/** A finished copy of a database as it was. */
export interface Backup {
  path: string;
  reused: boolean;
  /** False when it only serves the proof and goes away with the run. */
  kept: boolean;
}

/**
 * Copies a database whose write lock the caller holds, so that nobody changes it meanwhile. The copy is synced before it
 * gets its name, and never takes the place of another file; an equal one of an earlier run that was cut off is used.
 *
 * @param wal In WAL mode the newest rows are not in the file, and another process may move them there at any time: SQLite copies then.
 */
export async function makeBackup(database: string, wal: boolean, run: Run): Promise<Backup> {
  const { backupDir, backup: kept } = run.settings;
  const place = kept ? nextBackupPath(database, backupDir) : database;
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
  const newest = backupsOf(database, run.settings.backupDir).at(-1);
  if (newest !== undefined && (await run.files.same(temporary, newest))) {
    rmSync(temporary);
    return { path: newest, reused: true, kept: true };
  }
  let path: string;
  do path = nextBackupPath(database, run.settings.backupDir);
  while (!giveName(temporary, path));
  syncDirectory(dirname(path));
  return { path, reused: false, kept: true };
}

async function copyThroughSqlite(database: string, temporary: string, run: Run): Promise<void> {
  createPrivateFile(temporary);
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
