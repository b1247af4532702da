import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { isPrivateDirectory } from "./readable_database.ts";
import type { DatabaseReport } from "../core/report.ts";

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
