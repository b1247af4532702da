import { lstatSync } from "node:fs";
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { BACKUP_SUFFIX } from "../discover/own_files.ts";
import { nextFile, numberedFiles } from "../placing/numbered_files.ts";

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
