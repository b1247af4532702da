import type { HasSettings, Progress } from "../core/run.ts";
import { assertWritable } from "../io/access.ts";
import { noteUnplanned } from "../database/inspect/sound.ts";
import type { DatabaseReport } from "../core/report.ts";
import { libraryReport, lookAtLibrary, undecidedIn } from "./library_item.ts";

/** Says what `up` would do with a pattern library in JSON. Cannot write. */
export async function planLibrary(path: string, run: Progress & HasSettings): Promise<DatabaseReport> {
  const report = libraryReport(path);
  try {
    await run.stage(path, "inspect", "reading every pattern");
    const survey = lookAtLibrary(report, run);
    report.reason = undecidedIn(survey, run);
    report.status = report.reason !== null ? "refused" : report.steps.length === 0 ? "nothing_to_do" : "planned";
    const { backupDir, rehearse } = run.settings;
    // A rehearsal reads only.
    if (report.status === "planned" && !rehearse) assertWritable(path, backupDir);
  } catch (error) {
    noteUnplanned(report, error, run);
  }
  return report;
}
