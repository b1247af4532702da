import { existsSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "@perdura/internals/files/atomic_write.js";
import { REPORT_NAME } from "../io/own_files.ts";
import { freeName } from "../io/placing.ts";
import { accessWithin } from "../io/private_file.ts";
import type { MigrationReport } from "../core/report.ts";

/** Saves a report, or notes in it why that is not possible: what happened to the data has happened. */
export function trySaveReport(report: MigrationReport, directory: string): void {
  try {
    saveReport(report, directory);
  } catch (error) {
    report.report_path = null;
    report.notes.push(`The report could not be saved: ${(error as Error).message}`);
  }
}

/**
 * Saves a report beside the data under the first free name: `perdura-migration-report.json`, then `…-2.json` and so on. It shows values of rows
 * and names of users, so nobody may read it who may not read all of the data, and it belongs to whom the data belongs.
 */
function saveReport(report: MigrationReport, directory: string): void {
  report.report_path = freeName((number) => reportPath(directory, number));
  report.finished_at = new Date().toISOString();
  const data = [
    ...report.databases.map(({ path }) => path),
    // Whoever may read a directory that was removed may read its archive.
    ...report.state_directories.map(({ path, archive }) => (existsSync(path) ? path : (archive?.path ?? path))),
  ];
  writeFileAtomically(report.report_path, (write) => write(`${JSON.stringify(report, null, 2)}\n`), {
    access: accessWithin(data),
  });
}

function reportPath(directory: string, number: number): string {
  return join(directory, `${REPORT_NAME}${number === 1 ? "" : `-${number}`}.json`);
}
