import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { Treatment } from "../recognise/layout.ts";
import type { DatabaseReport } from "../report/report.ts";

/** Room for the schema pages and a small journal. */
const MARGIN = 1 << 20;

/**
 * What a migration needs at most, as parts of the database's size: 1 for the backup; 0.6 for indexes that are built;
 * for the field layouts 1 more for the journal of rewritten rows and 0.6 for the side table.
 */
export function diskNeed(
  path: string,
  bytes: number,
  treatment: Treatment,
  buildsIndexes: boolean,
  backupDir: string | null,
): NonNullable<DatabaseReport["disk"]> {
  const change = (buildsIndexes ? 0.6 : 0) + (treatment === "convert" ? 1.6 : 0);
  const place = dirname(path);
  const elsewhere = backupDir !== null && backupDir !== place;
  const needed = Math.ceil(bytes * (change + (elsewhere ? 0 : 1))) + MARGIN;
  return { path: place, needed_bytes: needed, free_bytes: freeBytes(place) };
}

/** Bytes that this user may still write in the file system of `directory`. */
export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
