import type { HasSettings, Progress } from "../core/run.ts";
import { statSync } from "node:fs";
import { backupsOf } from "../io/copy_database.ts";
import type { DatabaseReport } from "../core/report.ts";
import { stopOf } from "../core/stop.ts";
import { libraryReport, lookAtLibrary } from "./library_item.ts";

/** Says what a pattern library in JSON is, and what there is to go back to. */
export async function statusOfLibrary(path: string, run: Progress & HasSettings): Promise<DatabaseReport> {
  const report = libraryReport(path);
  try {
    await run.stage(path, "inspect", "reading every pattern");
    report.backups = backupsOf(path, run.settings.backupDir).map((backup) => ({
      path: backup,
      bytes: statSync(backup).size,
    }));
    const { odd } = lookAtLibrary(report, run);
    report.steps = [];
    report.status = odd.length === 0 ? "nothing_to_do" : "planned";
  } catch (error) {
    const stop = stopOf(error, path);
    if (stop.status === "interrupted") throw stop;
    report.status = stop.status;
    report.reason = stop.message;
  }
  return report;
}
