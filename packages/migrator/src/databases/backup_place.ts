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

/** The name for the next backup of a database: nothing has it, and no backup has a higher number. */
export function nextBackupPath(database: string, backupDir: string | null, line: CopyLine = "v15"): string {
  return nextFile(stemOf(database, backupDir, line), BACKUP_SUFFIX);
}
