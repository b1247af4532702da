import { lstatSync } from "node:fs";
import { basename, sep } from "node:path";
import { placeOf } from "@perdura/internals/files/place_of.js";
import type { Discovery } from "../core/discovery.ts";
import { databaseReport, type DatabaseReport } from "../core/report.ts";
import { lastBackup } from "../io/copy_database.ts";
import { ARCHIVE_SUFFIX, databaseOfBackup, directoryOfArchive, isBackupElsewhere, ownKind } from "../io/own_files.ts";
import { numberedFiles } from "../io/placing.ts";
import { type Earlier, inEarlierReports } from "./earlier_reports.ts";

/** Data that were not found, but that a backup, an archive or an earlier report proves to have existed. */
export interface Lost {
  databases: DatabaseReport[];
  /** Paths of state directories. */
  directories: string[];
  /** The backups and archives that reports name. */
  backups: ReadonlyMap<string, string>;
  archives: ReadonlyMap<string, readonly string[]>;
}

/** `verify` and `status` start from the data that should exist, not only from existing data. */
export function findLost(discovery: Discovery, backupDir: string | null): Lost {
  const targets = discovery.targets.flatMap((target) => placeOf(target) ?? []);
  const isWanted = (path: string): boolean =>
    targets.some((target) => path === target || path.startsWith(`${target}${sep}`));
  const earlier = inEarlierReports(discovery, isWanted);
  const own = [...new Set([...discovery.own, ...discovery.leftAlone.map(({ path }) => path)])];
  return {
    databases: lostDatabases(
      targets,
      own.filter((path) => isWanted(databaseOfBackup(path))),
      earlier,
      discovery,
      backupDir,
    ),
    directories: lostDirectories(own, earlier, discovery),
    backups: earlier.backups,
    archives: earlier.archives,
  };
}

function lostDatabases(
  targets: readonly string[],
  own: readonly string[],
  earlier: Earlier,
  discovery: Discovery,
  backupDir: string | null,
): DatabaseReport[] {
  const found = new Set([...discovery.databases.map(({ path }) => path), ...discovery.libraries]);
  const unusable = new Map([...discovery.leftAlone, ...discovery.refused].map(({ path, reason }) => [path, reason]));
  for (const [path, fault] of discovery.unreadable) unusable.set(path, `cannot be read: ${fault}`);
  // A backup in a backup directory is not next to its database.
  const beside = own.filter((path) => ownKind(basename(path)) === "backup" && !isBackupElsewhere(path));
  const candidates = new Set([
    ...targets.filter((target) => unusable.has(target)),
    ...beside.map(databaseOfBackup),
    ...earlier.backups.keys(),
    ...(backupDir === null ? [] : unusable.keys()),
  ]);
  return [...candidates]
    .filter((path) => !found.has(path) && ownKind(basename(path)) === undefined)
    .flatMap((path) => {
      const backup = lastBackup(path, backupDir, earlier.backups.get(path));
      return backup === undefined ? [] : [lostDatabase(path, backup, unusable.get(path))];
    })
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

function lostDatabase(path: string, backup: string, reason: string | undefined): DatabaseReport {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const state =
    found === undefined ? "The database is missing" : `The file is no longer a database (${reason ?? "not a file"})`;
  return {
    ...databaseReport(path, found?.size ?? 0),
    status: "differs",
    reason: `${state}. Its backup is ${backup}.`,
  };
}

function lostDirectories(own: readonly string[], earlier: Earlier, { stateDirectories }: Discovery): string[] {
  const archived = own.filter((path) => ownKind(basename(path)) === "archive").map(directoryOfArchive);
  return [...new Set([...archived, ...earlier.archives.keys()])].filter((path) => !stateDirectories.includes(path));
}

/** A missing state directory, and its archives. */
interface MissingStates {
  /** Its former path, resolved. */
  directory: string;
  archives: string[];
}

/**
 * A missing state directory, for example after `prune`, whose archive is next to its place; undefined for all other
 * paths.
 */
export function missingStates(path: string): MissingStates | undefined {
  const directory = placeOf(path);
  if (directory === undefined || lstatSync(directory, { throwIfNoEntry: false }) !== undefined) return undefined;
  const archives = numberedFiles(`${directory}.v15`, ARCHIVE_SUFFIX);
  return archives.length === 0 ? undefined : { directory, archives };
}
