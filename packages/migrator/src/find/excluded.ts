import { basename, join } from "node:path";
import { isTemporaryName } from "@perdura/internals/files/temporary_names.js";
import type { Discovery } from "../core/discovery.ts";
import { databaseOfBackup, isReport, ownKind, type OwnKind } from "../io/own_files.ts";
import { isArchive } from "../archive/format/open_archive.ts";
import type { Excludes } from "../archive/tree/walk_tree.ts";

/**
 * Says what below a state directory is no part of the states: databases (they are migrated, and are never read except by
 * SQLite), the files SQLite keeps beside them, state directories of their own, and what perdura-migrate made. That is a
 * rule and no list: this run makes such files itself. A name alone is not enough, because any user may be called so.
 */
export function excludedPaths(discovery: Discovery, backupDir: string | null): Excludes {
  const databases = discovery.databases.map(({ path }) => path);
  const files = new Set(databases.flatMap((path) => ["", "-journal", "-wal", "-shm"].map((suffix) => path + suffix)));
  const elsewhere = backupDir === null ? [] : databases.map((path) => join(backupDir, basename(path)));
  const backedUp = new Set([...databases, ...elsewhere]);
  const directories = new Set(discovery.stateDirectories);
  const isOurs: Record<OwnKind, (path: string) => boolean> = {
    backup: (path) => backedUp.has(databaseOfBackup(path)),
    archive: isArchive,
    report: isReport,
    temporary: () => true,
  };
  return (path, kind) => {
    if (kind === "directory") return directories.has(path) || isTemporaryName(basename(path));
    if (kind !== "file") return false;
    const own = ownKind(basename(path));
    return files.has(path) || (own !== undefined && isOurs[own](path));
  };
}
