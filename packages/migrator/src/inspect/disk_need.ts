import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { rehearsalPlace } from "./check_access.ts";
import { isPrivateDirectory } from "./read_copy.ts";
import type { Treatment } from "../recognise/layout.ts";
import type { DatabaseReport } from "../report/report.ts";

/** Room for the schema pages and a small journal. */
const MARGIN = 1 << 20;

/**
 * What a migration needs at most, as parts of the database's size: 1 for the backup; 0.6 for indexes that are built;
 * for the field layouts 1 more for the journal of rewritten rows and 0.6 for the side table. All of it goes beside the
 * database, but for a backup that has a directory of its own; of a rehearsal all of it goes where backups go.
 */
export function diskNeed(
  path: string,
  bytes: number,
  treatment: Treatment,
  buildsIndexes: boolean,
  backupDir: string | null,
  rehearse = false,
): NonNullable<DatabaseReport["disk"]> {
  const change = (buildsIndexes ? 0.6 : 0) + (treatment === "convert" || treatment === "unite" ? 1.6 : 0);
  const place = rehearse ? rehearsalPlace(dirname(path), backupDir) : dirname(path);
  // A rehearsal has a copy to change, and the copy of that.
  const copies = rehearse ? 2 : backupDir !== null && backupDir !== place ? 0 : 1;
  const needed = Math.ceil(bytes * (change + copies)) + MARGIN;
  return { path: place, needed_bytes: needed, free_bytes: freeBytes(place) };
}

/** Says what is missing for a plan, or null. A backup that has a directory of its own needs room there. */
export function diskShortage(
  disk: NonNullable<DatabaseReport["disk"]>,
  bytes: number,
  backupDir: string | null,
): string | null {
  if (disk.free_bytes < disk.needed_bytes) return shortage(disk.path, disk.needed_bytes, disk.free_bytes);
  const free = backupDir === null ? Number.POSITIVE_INFINITY : freeBytes(backupDir);
  return backupDir !== null && free < bytes ? shortage(backupDir, bytes, free) : null;
}

function shortage(place: string, needed: number, free: number): string {
  const [named, way] = isPrivateDirectory(place)
    ? [dirname(place), "name another directory for temporary files in the environment variable TMPDIR"]
    : [place, "put the backup elsewhere with --backup-dir"];
  return `Too little disk space in ${named}: ${needed} bytes are needed at most, ${free} are free. Make room, or ${way}.`;
}

/** Bytes that this user may still write in the file system of `directory`. */
export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
