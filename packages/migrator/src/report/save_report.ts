import { existsSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "@perdura/internals/files/atomic_write.js";
import { REPORT_NAME } from "../discover/own_files.ts";
import type { MigrationReport } from "./report.ts";

/** Saves a report beside the data under the first free name: `perdura-migration-report.json`, then `…-2.json` and so on. */
export function saveReport(report: MigrationReport, directory: string): void {
  let number = 1;
  while (existsSync(reportPath(directory, number))) number += 1;
  report.report_path = reportPath(directory, number);
  report.finished_at = new Date().toISOString();
  writeFileAtomically(report.report_path, (write) => write(`${JSON.stringify(report, null, 2)}\n`));
}

function reportPath(directory: string, number: number): string {
  return join(directory, `${REPORT_NAME}${number === 1 ? "" : `-${number}`}.json`);
}
