import { existsSync } from "node:fs";
import { join } from "node:path";
import { CommonAccess } from "@perdura/internals/files/common_access.js";
import { writeFileAtomically } from "@perdura/internals/files/atomic_write.js";
import type { MigrationReport } from "../core/report.ts";
import { REPORT_NAME } from "../io/own_files.ts";
import { freeName } from "../io/placing.ts";

/** Saves a report, or notes the failure in it: the outcome for the data does not change. */
export function trySaveReport(report: MigrationReport, directory: string): void {
  try {
    saveReport(report, directory);
  } catch (error) {
    report.report_path = null;
    report.notes.push(`Cannot save the report: ${(error as Error).message}`);
  }
}

/**
 * Saves a report next to the data under the first free name: `perdura-migration-report.json`, then `…-2.json` and so
 * on. It contains values of rows and ids of users, so it is readable only for users who may read all of the data, and
 * it has the owner of the data.
 */
function saveReport(report: MigrationReport, directory: string): void {
  report.report_path = freeName((number) => reportPath(directory, number));
  report.finished_at = new Date().toISOString();
  const readers = new CommonAccess();
  for (const { path } of report.databases) readers.addPath(path);
  // Users who may read all states may read their archive, also after the directory was removed.
  for (const { path, archive } of report.state_directories)
    readers.addPath(archive !== null && existsSync(archive.path) ? archive.path : path);
  writeFileAtomically(report.report_path, (write) => write(`${JSON.stringify(report, null, 2)}\n`), {
    access: readers.get(),
  });
}

function reportPath(directory: string, number: number): string {
  return join(directory, `${REPORT_NAME}${number === 1 ? "" : `-${number}`}.json`);
}
