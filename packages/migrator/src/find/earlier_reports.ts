import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { readWhole } from "@perdura/internals/files/read_bytes.js";
import { isPlainObject } from "@perdura/internals/json/values.js";
import type { Discovery } from "../core/discovery.ts";
import { ownKind } from "../io/own_files.ts";

/** Files that should exist according to earlier reports. */
export interface Earlier {
  /** The last backup of each migrated database or library, except for those that `prune` removed. */
  backups: Map<string, string>;
  /** The archives of each state directory, oldest first. */
  archives: Map<string, string[]>;
}

/**
 * Reads the reports of earlier runs.
 *
 * @param isWanted True for the databases and directories of this run.
 */
export function inEarlierReports(discovery: Discovery, isWanted: (path: string) => boolean): Earlier {
  const earlier: Earlier = { backups: new Map(), archives: new Map() };
  const beside = readdirSync(discovery.home).map((name) => join(discovery.home, name));
  const paths = new Set([...discovery.own, ...discovery.leftAlone.map(({ path }) => path), ...beside]);
  const reports = [...paths].filter((path) => ownKind(basename(path)) === "report").flatMap(readReport);
  for (const report of reports.toSorted((one, other) => (one.finished_at < other.finished_at ? -1 : 1))) {
    for (const { path, backup } of report.databases) if (isWanted(path)) earlier.backups.set(path, backup.path);
    for (const { path } of report.pruned) earlier.backups.delete(path);
    for (const { path, archive } of report.state_directories)
      if (isWanted(path))
        earlier.archives.set(path, [...new Set([...(earlier.archives.get(path) ?? []), archive.path])]);
  }
  return earlier;
}

/** The relevant parts of a report. */
interface ReportedItems {
  finished_at: string;
  /** Migrated databases with a kept backup. */
  databases: { path: string; backup: { path: string } }[];
  /** Databases whose backup was removed. */
  pruned: { path: string }[];
  /** Archived directories. */
  state_directories: { path: string; archive: { path: string } }[];
}

/** Ignores a file of that name that is not a report, and invalid parts of one that was edited. */
function readReport(path: string): ReportedItems[] {
  let report: unknown;
  try {
    report = JSON.parse(readWhole(path).toString("utf8"));
  } catch {
    return [];
  }
  if (!isPlainObject(report) || report["format"] !== "perdura-migration-report" || report["format_version"] !== 1)
    return [];
  const { databases, state_directories: directories, finished_at: finished } = report;
  if (!Array.isArray(databases) || !Array.isArray(directories) || typeof finished !== "string") return [];
  return [
    {
      finished_at: finished,
      databases: databases.filter(isMigrated),
      pruned: databases.filter(isPruned),
      state_directories: directories.filter(isArchived),
    },
  ];
}

function isMigrated(item: unknown): item is ReportedItems["databases"][0] {
  return (
    isPlainObject(item) &&
    item["status"] === "migrated" &&
    hasPath(item) &&
    hasPath(item["backup"]) &&
    item["backup"]["kept"] === true
  );
}

function isPruned(item: unknown): item is ReportedItems["pruned"][0] {
  return isPlainObject(item) && item["status"] === "pruned" && hasPath(item);
}

function isArchived(item: unknown): item is ReportedItems["state_directories"][0] {
  return isPlainObject(item) && item["status"] === "archived" && hasPath(item) && hasPath(item["archive"]);
}

function hasPath(value: unknown): value is { path: string; [key: string]: unknown } {
  return isPlainObject(value) && typeof value["path"] === "string";
}
