import type { Workers } from "../io/child/workers.ts";
import type { HasSettings, Progress } from "../core/run.ts";
import type { FoundDatabase } from "../core/discovery.ts";
import { assertWritable } from "../io/access.ts";
import { diskNeed } from "../inspect/disk_need.ts";
import { diskShortage } from "../io/disk_space.ts";
import { assertSound } from "../inspect/sound.ts";
import { whileReading } from "../io/readable_database.ts";
import { noteUnplanned } from "../inspect/note_unplanned.ts";
import { databaseReport, type DatabaseReport } from "../core/report.ts";
import { Stop } from "../core/stop.ts";
import { fillReversion, inspectReversion, type ReversionInspection } from "./inspect_reversion.ts";

/** Says what `down` would do with one database. Cannot write, as {@link planDatabase} cannot. */
export async function planReversion(
  found: FoundDatabase,
  run: Progress & HasSettings & Workers,
): Promise<DatabaseReport> {
  const report = databaseReport(found.path, found.bytes);
  try {
    await run.stage(found.path, "inspect", "reading the schema and the records of migrations");
    const inspection = await whileReading(found, run, (database) => {
      assertSound(database);
      return inspectReversion(database);
    });
    fillReversion(report, inspection);
    decide(report, inspection, found);
    if (report.status === "planned") assertRoom(report, found, inspection, run);
  } catch (error) {
    noteUnplanned(report, error, run);
  }
  return report;
}

function decide(report: DatabaseReport, { layout, records, refusal }: ReversionInspection, found: FoundDatabase): void {
  if (records.length === 0 && refusal === null) {
    report.status = layout.treatment === "keep" || layout.treatment === "leave" ? "left_alone" : "nothing_to_do";
    report.reason =
      layout.treatment === "leave"
        ? (layout.sentence ?? null)
        : layout.treatment === "keep"
          ? "It tells of no migration: a program of version 16 made it, or it needed none. It is left as it is."
          : "It is in a layout of before 16.";
    return;
  }
  const reason = refusal ?? found.refusal;
  report.status = reason === null ? "planned" : "refused";
  report.reason = reason;
}

function assertRoom(
  report: DatabaseReport,
  found: FoundDatabase,
  { reversion }: ReversionInspection,
  run: HasSettings,
): void {
  const { backupDir } = run.settings;
  assertWritable(found.path, backupDir);
  const treatment = reversion?.form.rebuilds === true ? "convert" : "rename";
  const disk = diskNeed(found.path, found.bytes, treatment, false, backupDir);
  report.disk = disk;
  const shortage = diskShortage(disk, found.bytes, backupDir);
  if (shortage !== null) throw new Stop("refused", shortage);
}
