import { statSync } from "node:fs";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { stateDirectoryReport } from "../report/new_reports.ts";
import type { StateDirectoryReport } from "../report/report.ts";
import type { Run } from "../run/run.ts";
import { Stop, stopOf } from "../stop.ts";
import { newestArchive } from "../states/archive_place.ts";
import { tableFault } from "../states/archive_tables.ts";
import { archivedEntries } from "../states/archived_entries.ts";
import { there } from "../states/compare_entries.ts";
import { putSurvey } from "../states/count_states.ts";
import { faultOf } from "../states/fault.ts";
import { survey } from "../states/survey.ts";
import { openArchive } from "../states/open_archive.ts";
import { FileReader } from "../states/read_file.ts";
import { countArchived } from "../states/state_counter.ts";
import { entryTicks, type Tick } from "../states/ticks.ts";
import type { Excludes } from "../states/walk_tree.ts";

/**
 * Says whether the archive of a state directory is there and up to date, by names, kinds, sizes, modes and times; no
 * content is read.
 *
 * @param reported The archive that a report of an earlier run names.
 */
export async function statusOfStates(
  path: string,
  reported: string | undefined,
  excludes: Excludes,
  run: Run,
): Promise<StateDirectoryReport> {
  const report = stateDirectoryReport(path);
  try {
    await run.stage(path, "inspect", "listing the directory");
    await look(report, reported, excludes, entryTicks(run, path, "inspect", "listing the directory"));
  } catch (error) {
    const stop = stopOf(error, path);
    if (stop.status === "interrupted") throw stop;
    report.status = "failed";
    report.reason = stop.message;
  }
  return report;
}

async function look(
  report: StateDirectoryReport,
  reported: string | undefined,
  excludes: Excludes,
  tick: Tick,
): Promise<void> {
  const isThere = statSync(report.path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere) putSurvey(report, await survey(report.path, excludes, tick));
  const path = newestArchive(report.path) ?? reported;
  const found = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === undefined || found === undefined) {
    report.status = report.entries === 0 ? "left_alone" : "planned";
    report.reason = withoutArchive(report, isThere, path);
    return;
  }
  report.archive = { path, bytes: found.size, sha256: null };
  report.status = "nothing_to_do";
  if (!isThere) report.reason = "The directory is gone; its archive is there.";
  const archive = openArchive(path);
  try {
    const fault = tableFault(archive);
    if (fault !== undefined) throw new Stop("failed", `The archive ${path} is damaged: ${fault}.`);
    const difference = isThere ? await compareCheaply(archive, report, excludes, tick) : null;
    if (difference === null) return countArchived(report, archive);
    report.status = "planned";
    report.notes.push(`the archive holds an earlier state of the directory: ${difference}`);
  } finally {
    archive.close();
  }
}

function withoutArchive(
  { entries }: StateDirectoryReport,
  isThere: boolean,
  archive: string | undefined,
): string | null {
  if (archive !== undefined && !isThere) return `Neither the directory nor its archive ${archive} is there any more.`;
  if (archive !== undefined) return `The archive that a report names is gone: ${archive}.`;
  return entries === 0 ? "The directory is empty." : null;
}

/** What differs, in words; null for nothing. */
async function compareCheaply(
  archive: Database,
  { path, entries }: StateDirectoryReport,
  excludes: Excludes,
  tick: Tick,
): Promise<string | null> {
  const reader = new FileReader();
  const count = { found: 0, changed: 0, gone: 0 };
  for (const archived of archivedEntries(archive, false)) {
    const entry = there(path, archived, excludes);
    if (entry === undefined) count.gone += 1;
    else count.found += 1;
    if (entry !== undefined && faultOf(archived, entry, path, { contents: false }, reader) !== undefined)
      count.changed += 1;
    if ((count.found + count.gone) % 1000 === 0) await tick(count.found + count.gone, entries);
  }
  const parts = [
    ...(entries > count.found ? [`${entries - count.found} new`] : []),
    ...(count.changed > 0 ? [`${count.changed} changed`] : []),
    ...(count.gone > 0 ? [`${count.gone} gone`] : []),
  ];
  return parts.length === 0 ? null : parts.join(", ");
}
