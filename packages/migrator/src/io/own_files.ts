import { isTemporaryName } from "@perdura/internals/files/temporary_names.js";
import type { FileLeftAlone } from "../core/report.ts";
import { headOf } from "./json_head.ts";

/** Suffixes that `up` and `down` append to the name of a database or directory. */
export const BACKUP_SUFFIX = ".bak";
export const ARCHIVE_SUFFIX = ".sqlar";
export const REPORT_NAME = "perdura-migration-report";

export type OwnKind = NonNullable<FileLeftAlone["made"]>;

/** Suffixes of the files that SQLite keeps next to a database. */
export const SIDE_FILE: RegExp = /-(?:wal|shm|journal)$/;

/** Pre-16 and 16 backups. In a backup directory the name includes a checksum of the database's path. */
const BACKUP = /\.v1[56](?:-[0-9a-f]{8})?(?:\.\d+)?\.bak$/;
const ARCHIVE = /\.v15(?:\.\d+)?\.sqlar$/;
const REPORT = new RegExp(`^${REPORT_NAME}(?:-\\d+)?\\.json$`);

/** Kind of the migrator's own files that have such a name; other files may have it as well. */
export function ownKind(name: string): OwnKind | undefined {
  if (BACKUP.test(name)) return "backup";
  if (ARCHIVE.test(name)) return "archive";
  if (REPORT.test(name)) return "report";
  return isTemporaryName(name.replace(SIDE_FILE, "")) ? "temporary" : undefined;
}

const REPORT_START = new RegExp(`^\\s*\\{\\s*"format"\\s*:\\s*"${REPORT_NAME}"`);

/** True for a file that contains a report, under any name. */
export function isReport(path: string): boolean {
  return REPORT_START.test(headOf(path));
}

/** The database of a backup with this path. */
export function databaseOfBackup(path: string): string {
  return path.replace(BACKUP, "");
}

/** The state directory of an archive with this path. */
export function directoryOfArchive(path: string): string {
  return path.replace(ARCHIVE, "");
}

/** The name of a backup without its number, and the number: that of the first one is 1, that of another file 0. */
export function numberOfBackup(path: string): { of: string; number: number } {
  const [end, digits] = /(?:\.(\d+))?\.bak$/.exec(path) ?? [];
  return { of: path.slice(0, path.length - (end?.length ?? 0)), number: end === undefined ? 0 : Number(digits ?? 1) };
}

/** True for the path of a backup that `down` made: of a database or library of version 16. */
export function isBackupOf16(path: string): boolean {
  return BACKUP.test(path) && /\.v16[^.]*(?:\.\d+)?\.bak$/.test(path);
}

/** True for a backup in a backup directory, which may not be the directory of the database. */
export function isBackupElsewhere(path: string): boolean {
  return /\.v1[56]-[^.]*(?:\.\d+)?\.bak$/.test(path);
}

/** Descriptions of files with such a name outside of state directories. */
export const OWN_REASONS: Record<OwnKind, string> = {
  backup: "a backup of perdura-migrate",
  archive: "an archive of perdura-migrate",
  report: "a report of perdura-migrate",
  temporary: "a temporary file of a running or interrupted perdura-migrate",
};

/** Descriptions of files that only have such a name. */
export const LOOKALIKE_REASONS: Record<Exclude<OwnKind, "temporary">, string> = {
  backup:
    "named like a backup of perdura-migrate, but neither a database nor a library: damaged, or from another program",
  archive: "named like an archive of perdura-migrate, but not an archive: damaged, or from another program",
  report: "named like a report of perdura-migrate, but not a report: damaged, or from another program",
};
