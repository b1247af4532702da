import { createHash } from "node:crypto";
import { lstatSync, statSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createFileFor } from "@perdura/internals/files/private_file.js";
import { copyAcl } from "@perdura/internals/files/acl.js";
import { temporaryName } from "@perdura/internals/files/temporary_names.js";
import { copyContent } from "@perdura/internals/sqlite/copy_content.js";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import type { HasSettings } from "../core/options.ts";
import type { Progress } from "../core/progress.ts";
import type { Workers } from "./child/workers.ts";
import { BACKUP_SUFFIX } from "./own_files.ts";
import { nextFile, numberedFiles } from "./placing.ts";

/** Kind of a backup: `up` keeps the pre-16 database, `down` the 16 database. */
export type CopyLine = "v15" | "v16";

/**
 * Path before the number in the names of a database's backups: `<database>.v15` next to it. A common backup directory
 * may get databases with equal file names: there a checksum of the real path distinguishes them.
 */
function stemOf(database: string, backupDir: string | null, line: CopyLine): string {
  if (backupDir === null) return `${database}.${line}`;
  const checksum = createHash("sha256").update(database).digest("hex").slice(0, 8);
  return join(backupDir, `${basename(database)}.${line}-${checksum}`);
}

/** The backups of a database, oldest first. */
export function backupsOf(database: string, backupDir: string | null, line: CopyLine = "v15"): string[] {
  return numberedFiles(stemOf(database, backupDir, line), BACKUP_SUFFIX);
}

/** The backups of both lines, those of `down` first, each oldest first. */
export function allBackupsOf(database: string, backupDir: string | null): string[] {
  return [...backupsOf(database, backupDir, "v16"), ...backupsOf(database, backupDir)];
}

/**
 * The backup to restore: the newest pre-16 one, else the newest that `down` kept, else the one that an earlier report
 * names; undefined without one.
 */
export function lastBackup(database: string, backupDir: string | null, reported?: string): string | undefined {
  const places = backupDir === null ? [null] : [null, backupDir];
  const found = (["v16", "v15"] as const).flatMap((line) => places.flatMap((at) => backupsOf(database, at, line)));
  return found.at(-1) ?? existing(reported);
}

/** The path if a file exists there. */
export function existing(path: string | undefined): string | undefined {
  return path !== undefined && lstatSync(path, { throwIfNoEntry: false }) !== undefined ? path : undefined;
}

/** A free name for the next backup of a database, with a higher number than all others. */
export function nextBackupPath(database: string, backupDir: string | null, line: CopyLine = "v15"): string {
  return nextFile(stemOf(database, backupDir, line), BACKUP_SUFFIX);
}

/** Called with the number of copied bytes and the total. */
type OnBytes = (done: number, total: number) => void;

/** A temporary name for a copy, in the directory of the future backup; next to the database if no backup is kept. */
export function temporaryCopy(database: string, { settings }: HasSettings, line: CopyLine): string {
  const place = settings.backup ? nextBackupPath(database, settings.backupDir, line) : database;
  return join(dirname(place), temporaryName(basename(place)));
}

/**
 * Copies a database that cannot change meanwhile, and syncs the copy.
 *
 * @returns The checksum of the database, computed in parallel.
 */
export async function copyAsItIs(database: string, copy: string, run: Workers, onBytes?: OnBytes): Promise<string> {
  const [sha256] = await Promise.all([run.hasherOf(database).hash(database), run.files.copy(database, copy, onBytes)]);
  return sha256;
}

/**
 * A stamp that shows if a database changed between two inspections: size of the file, and its header, in which SQLite
 * counts every change. Valid only while a transaction prevents changes; null with a write-ahead log.
 */
export async function stampOf(path: string, run: Workers): Promise<string | null> {
  const [header] = await run.files.headers([path]);
  const bytes = header?.bytes ?? null;
  if (bytes === null || bytes.length < 100 || bytes[18] !== 1 || bytes[19] !== 1) return null;
  return `${statSync(path).size} ${Buffer.from(bytes).toString("hex")}`;
}

/**
 * Does the same for a database in WAL mode, whose newest rows are not in its file: makes one file that needs no log.
 */
export async function copyThroughSqlite(
  database: string,
  copy: string,
  run: Progress & HasSettings & Workers,
  onBytes: OnBytes,
): Promise<string> {
  createFileFor(copy, statSync(database));
  copyAcl(database, copy);
  // A second connection: SQLite cannot copy through one that holds a write transaction.
  const { busyTimeoutMs } = run.settings;
  const source = openDatabase(database, { intent: "read", busyTimeoutMs });
  try {
    const pageSize = source.pragma("page_size", { simple: true }) as number;
    await copyContent(source, copy, {
      busyTimeoutMs,
      onPages: (done, total) => {
        run.assertNotInterrupted();
        if (done > 0) onBytes(done * pageSize, total * pageSize);
      },
    });
  } finally {
    source.close();
  }
  const written = openDatabase(copy, { intent: "change" });
  try {
    written.pragma("journal_mode = DELETE");
  } finally {
    written.close();
  }
  await run.files.sync(copy);
  return run.hasherOf(copy).hash(copy);
}

/** Removes a copy that is not a backup, and SQLite's files next to it. */
export function removeCopy(path: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) removeFile(`${path}${suffix}`);
}

/** Does not use `rmSync`, which does not report the reason of a failure. */
function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
