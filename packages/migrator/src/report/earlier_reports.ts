import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Discovery } from "../discover/discover.ts";
import { ownKind } from "../discover/own_files.ts";
import type { MigrationReport } from "./report.ts";

/** What the reports of earlier runs tell of files that should be there. */
export interface Earlier {
  /** The last backup of each migrated database. */
  backups: Map<string, string>;
  /** The archives of each state directory, oldest first. */
  archives: Map<string, string[]>;
}

/**
 * Reads the reports of earlier runs.
 *
 * @param isWanted True for the databases and directories that this run is about.
 */
export function inEarlierReports(discovery: Discovery, isWanted: (path: string) => boolean): Earlier {
  const earlier: Earlier = { backups: new Map(), archives: new Map() };
  const beside = readdirSync(discovery.home).map((name) => join(discovery.home, name));
  const paths = new Set([...discovery.own, ...discovery.leftAlone.map(({ path }) => path), ...beside]);
  const reports = [...paths].filter((path) => ownKind(basename(path)) === "report").flatMap(readReport);
  for (const report of reports.toSorted((one, other) => (one.finished_at < other.finished_at ? -1 : 1))) {
    for (const { path, status, backup } of report.databases)
      if (status === "migrated" && backup?.kept === true && isWanted(path)) earlier.backups.set(path, backup.path);
    for (const { path, status, archive } of report.state_directories)
      if (status === "archived" && archive !== null && isWanted(path))
        earlier.archives.set(path, [...new Set([...(earlier.archives.get(path) ?? []), archive.path])]);
  }
  return earlier;
}

/** A file of that name that is no report tells of nothing. */
function readReport(path: string): MigrationReport[] {
  try {
    const report = JSON.parse(readFileSync(path, "utf8")) as MigrationReport | null;
    const whole = Array.isArray(report?.databases) && Array.isArray(report.state_directories);
    return whole && report.format === "perdura-migration-report" && report.format_version === 1 ? [report] : [];
  } catch {
    return [];
  }
}
