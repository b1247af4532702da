import type { Progress } from "../../core/run.ts";
import { statSync } from "node:fs";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { stateDirectoryReport, type StateDirectoryReport } from "../../core/report.ts";
import { Stop, stopOf } from "../../core/stop.ts";
import { archiveNames, olderArchive, archivesGone } from "../format/archive_place.ts";
import { tableFault } from "../format/schema.ts";
import { archivedEntries } from "../format/archived_entries.ts";
import { there, faultOf } from "./compare_entries.ts";
import { putSurvey, countArchived } from "../states/count_states.ts";
import { prunedBefore } from "../prune/leftovers.ts";
import { survey } from "../tree/survey.ts";
import { isArchive, openArchive } from "../format/open_archive.ts";
import { FileReader } from "../tree/read_file.ts";
import { entryTicks, type Tick, type Excludes } from "../tree/walk_tree.ts";

/**
 * Says whether the archive of a state directory is there and up to date, by names, kinds, sizes, modes and times; no
 * content is read.
 *
 * @param reported The archives that reports of earlier runs name.
 */
export async function statusOfStates(
  path: string,
  reported: readonly string[],
  excludes: Excludes,
  run: Progress,
): Promise<StateDirectoryReport> {
  const report = stateDirectoryReport(path);
  try {
    await run.stage(path, "inspect", "listing the directory");
    await look(report, archivesGone(reported), excludes, entryTicks(run, path, "inspect", "listing the directory"));
  } catch (error) {
    const stop = stopOf(error, path);
    if (stop.status === "interrupted") throw stop;
    report.status = "failed";
    report.reason = stop.message;
  }
  report.notes.push(...prunedBefore(path));
  return report;
}

async function look(
  report: StateDirectoryReport,
  gone: readonly string[],
  excludes: Excludes,
  tick: Tick,
): Promise<void> {
  const isThere = statSync(report.path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere) putSurvey(report, await survey(report.path, excludes, tick));
  const [path, ...older] = archiveNames(report.path).filter(isArchive).toReversed();
  if (path === undefined) return withoutArchive(report, isThere, gone);
  report.notes.push(...gone, ...older.map(olderArchive));
  report.archive = { path, bytes: statSync(path).size, sha256: null };
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

function withoutArchive(report: StateDirectoryReport, isThere: boolean, gone: readonly string[]): void {
  report.status = report.entries === 0 ? "left_alone" : "planned";
  if (gone.length > 0) report.reason = `${gone.join(". ")}.`;
  else if (report.entries === 0) report.reason = "The directory is empty.";
  if (gone.length === 0 || isThere) return;
  report.status = "failed";
  report.reason = `${gone.join(". ")}, and the directory is gone as well.`;
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
