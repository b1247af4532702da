import { dirname } from "node:path";
import { syncDirectory } from "@perdura/internals/files/sync_directory.js";
import type { HasSettings } from "../core/options.ts";
import type { Cleanup, Progress } from "../core/progress.ts";
import type { Workers } from "./child/workers.ts";
import {
  backupsOf,
  copyAsItIs,
  type CopyLine,
  copyThroughSqlite,
  nextBackupPath,
  temporaryCopy,
} from "./copy_database.ts";
import { type EarlyCopies, takeEarlyCopy } from "./early_copy.ts";
import { giveNextName } from "./placing.ts";

/** A finished copy of an original database. */
export interface Backup {
  path: string;
  reused: boolean;
  /** False if it is only for the proof and is removed with the run. */
  kept: boolean;
  sha256: string;
}

/**
 * Copies a database while the caller holds its write lock, so that it cannot change. The copy is synced before it gets
 * its name, and never replaces another file; an equal copy of an earlier, interrupted run is reused.
 *
 * @param wal True in WAL mode: the newest rows are not in the file, and another process may move them there at any
 *   time, so SQLite makes the copy.
 */
export async function makeBackup(
  database: string,
  wal: boolean,
  run: Progress & HasSettings & Workers & Cleanup & EarlyCopies,
  line: CopyLine = "v15",
): Promise<Backup> {
  const { backup: kept } = run.settings;
  const early = line === "v15" && !wal ? await takeEarlyCopy(database, run) : undefined;
  const temporary = early?.path ?? temporaryCopy(database, run, line);
  const tell = (done: number, total: number): void =>
    run.reportProgress({ path: database, stage: "backup", detail: "copying the database", done, total, unit: "bytes" });
  try {
    const sha256 = early?.sha256 ?? (await (wal ? copyThroughSqlite : copyAsItIs)(database, temporary, run, tell));
    if (!kept) return { path: temporary, reused: false, kept, sha256 };
    return await putInPlace(database, temporary, sha256, run, line);
  } catch (error) {
    run.discard(temporary);
    throw error;
  }
}

async function putInPlace(
  database: string,
  temporary: string,
  sha256: string,
  run: HasSettings & Workers & Cleanup,
  line: CopyLine,
): Promise<Backup> {
  const newest = backupsOf(database, run.settings.backupDir, line).at(-1);
  if (newest !== undefined && (await run.files.same(temporary, newest))) {
    run.discard(temporary);
    return { path: newest, reused: true, kept: true, sha256: await run.hasherOf(newest).hash(newest) };
  }
  const path = giveNextName(temporary, () => nextBackupPath(database, run.settings.backupDir, line));
  syncDirectory(dirname(path));
  return { path, reused: false, kept: true, sha256 };
}
