import { createHash, randomBytes } from "node:crypto";
import { lstatSync, statSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { temporaryName } from "@perdura/internals/files/temporary_names.js";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import type { HasSettings } from "../core/options.ts";
import type { Progress } from "../core/progress.ts";
import type { Workers } from "./child/workers.ts";
import { BACKUP_SUFFIX } from "./own_files.ts";
import { nextFile, numberedFiles } from "./placing.ts";
import { createFileFor } from "./private_file.ts";

/** What a copy holds: `up` keeps the database as it was before 16, `down` as it was in 16. */
export type CopyLine = "v15" | "v16";

/**
 * What comes before the number in the names of a database's backups: `<database>.v15` beside it. In a directory for the
 * backups of many, databases of one file name meet: there a checksum of the real path tells them apart.
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

/**
 * The backup to go back to: the newest from before 16, or else the newest that `down` kept, or else the one that the report
 * of an earlier run names; undefined where there is none.
 */
export function lastBackup(database: string, backupDir: string | null, reported?: string): string | undefined {
  const places = backupDir === null ? [null] : [null, backupDir];
  const found = (["v16", "v15"] as const).flatMap((line) => places.flatMap((at) => backupsOf(database, at, line)));
  return found.at(-1) ?? existing(reported);
}

/** The path of a file that is there. */
export function existing(path: string | undefined): string | undefined {
  return path !== undefined && lstatSync(path, { throwIfNoEntry: false }) !== undefined ? path : undefined;
}

/** The name for the next backup of a database: nothing has it, and no backup has a higher number. */
export function nextBackupPath(database: string, backupDir: string | null, line: CopyLine = "v15"): string {
  return nextFile(stemOf(database, backupDir, line), BACKUP_SUFFIX);
}

/** Told how many bytes of how many are copied. */
type OnBytes = (done: number, total: number) => void;

/** A name for a copy that is not a backup yet, where that will lie; or beside the database where no backup is to stay. */
export function temporaryCopy(database: string, { settings }: HasSettings, line: CopyLine): string {
  const place = settings.backup ? nextBackupPath(database, settings.backupDir, line) : database;
  return join(dirname(place), temporaryName(basename(place), randomBytes(4).toString("hex")));
}

/**
 * Copies a database that holds still, and syncs the copy.
 *
 * @returns The checksum: that of the database, made at the same time, so that it costs no time of its own.
 */
export async function copyAsItIs(database: string, copy: string, run: Workers, onBytes?: OnBytes): Promise<string> {
  const [sha256] = await Promise.all([run.hasherOf(database).hash(database), run.files.copy(database, copy, onBytes)]);
  return sha256;
}

/**
 * Says whether a database is the same as at an earlier look: size and header of the file, in which SQLite counts every
 * change. Only while a transaction holds it still; with a write-ahead log nothing can be told.
 */
export async function stampOf(path: string, run: Workers): Promise<string | null> {
  const [header] = await run.files.headers([path]);
  const bytes = header?.bytes ?? null;
  if (bytes === null || bytes.length < 100 || bytes[18] !== 1 || bytes[19] !== 1) return null;
  return `${statSync(path).size} ${Buffer.from(bytes).toString("hex")}`;
}

/** How many pages SQLite copies before it says how far it is. */
const PAGES = 16_384;

/** Does the same for a database whose newest rows are not in its file: into one file that needs no log beside it. */
export async function copyThroughSqlite(
  database: string,
  copy: string,
  run: Progress & HasSettings & Workers,
  onBytes: OnBytes,
): Promise<string> {
  createFileFor(copy, statSync(database));
  // A second connection: SQLite does not copy through one that holds a write transaction.
  const source = openDatabase(database, { access: "query", busyTimeoutMs: run.settings.busyTimeoutMs });
  try {
    const pageSize = source.pragma("page_size", { simple: true }) as number;
    await source.backup(copy, {
      progress: ({ totalPages, remainingPages }) => {
        run.assertWanted();
        if (remainingPages > 0 && remainingPages < totalPages)
          onBytes((totalPages - remainingPages) * pageSize, totalPages * pageSize);
        return PAGES;
      },
    });
  } finally {
    source.close();
  }
  const written = openDatabase(copy, { access: "existing" });
  try {
    written.pragma("journal_mode = DELETE");
  } finally {
    written.close();
  }
  await run.files.sync(copy);
  return run.hasherOf(copy).hash(copy);
}

/** Removes a copy that is not a backup, and what SQLite may have left beside it. */
export function removeCopy(path: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) removeFile(`${path}${suffix}`);
}

/** `rmSync` would not say why it could not. */
function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
