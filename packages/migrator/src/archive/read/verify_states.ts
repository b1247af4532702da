import { statSync } from "node:fs";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { BoundedList } from "../../core/bounded_list.ts";
import type { Progress } from "../../core/progress.ts";
import { stateDirectoryReport, type StateDirectoryReport } from "../../core/report.ts";
import { Stop, stopOf } from "../../core/stop.ts";
import type { Workers } from "../../io/child/workers.ts";
import { archiveNames, missingArchives, olderArchive } from "../format/archive_place.ts";
import { archivedEntries, countEntries } from "../format/archived_entries.ts";
import { isArchive, openArchive, tableFault } from "../format/open_archive.ts";
import { interruptedPruneNotes, isPruned, isPrunedArchive, prunedNote } from "../format/pruned_mark.ts";
import { countArchived, countStates, putSurvey } from "../states/count_states.ts";
import { Listing, survey } from "../states/listing.ts";
import { FileReader } from "../tree/read_file.ts";
import { entryTicks, type Excludes, type Tick } from "../tree/walk_tree.ts";
import { checkArchive } from "./check_archive.ts";
import { compareArchive } from "./compare_archive.ts";
import { faultOf, noteOtherAccess, currentEntry } from "./compare_entries.ts";

/**
 * Compares the newest archive of a state directory with the directory, byte by byte, and checks every archive of it.
 *
 * @param reported The archives that earlier reports name.
 * @param named The archives to compare with, oldest first, if the caller named some.
 */
export async function verifyStates(
  path: string,
  reported: readonly string[],
  excludes: Excludes,
  run: Progress & Workers,
  named?: readonly string[],
): Promise<StateDirectoryReport> {
  const report = stateDirectoryReport(path);
  await run.stage(path, "compare", "comparing the archive with the directory");
  const archives = (named ?? archiveNames(path)).toReversed();
  try {
    await compare(report, archives, missingArchives(reported), excludes, run);
  } catch (error) {
    const stop = stopOf(error, path);
    // An archive that cannot be read is damaged.
    report.status = stop.status === "failed" && archives.length > 0 ? "differs" : stop.status;
    report.reason =
      report.status === "differs"
        ? `Cannot compare the directory with its archive ${archives[0]}: ${stop.message}`
        : stop.message;
  }
  report.notes.push(...interruptedPruneNotes(path));
  return report;
}

async function compare(
  report: StateDirectoryReport,
  [archive, ...older]: readonly string[],
  gone: readonly string[],
  excludes: Excludes,
  run: Progress & Workers,
): Promise<void> {
  const isThere = statSync(report.path, { throwIfNoEntry: false })?.isDirectory() === true;
  const ticks = (detail: string): Tick => entryTicks(run, report.path, "compare", detail);
  if (isThere) {
    const listing = await Listing.of(report.path, excludes, ticks("listing the directory"));
    await countStates(report, listing, ticks("reading state files"));
  }
  if (archive === undefined) {
    report.status = gone.length === 0 ? "not_compared" : "differs";
    report.reason = gone.length === 0 ? "The directory has no archive." : `${gone.join(". ")}.`;
    return;
  }
  report.archive = { path: archive, bytes: statSync(archive).size, sha256: await run.files.hash(archive) };
  report.notes.push(...older.map(olderArchive));
  const damage = await checkArchive(archive, report.path, ticks("checking the archive"));
  const mayLack = damage.length === 0 && isPrunedArchive(archive);
  const otherAccess = new BoundedList();
  report.differences = [
    // An inconsistent archive cannot be compared.
    ...(isThere && damage.length === 0
      ? await compareArchive(archive, report.path, excludes, ticks("comparing the archive with the directory"), {
          mayLack,
          otherAccess,
        })
      : damage),
    ...gone,
  ];
  noteOtherAccess(report, otherAccess);
  for (const path of older) report.differences.push(...(await checkOlder(path, report.path, run)));
  report.status = report.differences.length > 0 ? "differs" : isThere || mayLack ? "verified" : "not_compared";
  // Without a difference, all entries of the directory are archived ones.
  if (mayLack && report.status === "verified") noteRemoved(report, entriesOf(archive) - report.entries);
  if (report.status === "not_compared") report.reason = "The directory does not exist; its archive is intact.";
}

function noteRemoved({ path, notes }: StateDirectoryReport, entries: number): void {
  // An interrupted prune has not removed all of them.
  if (entries > 0 && interruptedPruneNotes(path).length === 0) notes.push(prunedNote(entries));
}

function entriesOf(path: string): number {
  const archive = openArchive(path);
  try {
    return countEntries(archive);
  } finally {
    archive.close();
  }
}

async function checkOlder(archive: string, directory: string, run: Progress): Promise<string[]> {
  const tick = entryTicks(run, directory, "compare", "checking an older archive");
  try {
    return (await checkArchive(archive, directory, tick)).map((difference) => `${archive}: ${difference}`);
  } catch (error) {
    const stop = stopOf(error, archive);
    if (stop.status === "interrupted") throw stop;
    return [`cannot read ${archive}: ${stop.message}`];
  }
}

/**
 * Reports if the archive of a state directory exists and is up to date, by names, kinds, sizes and times; reads no
 * content.
 *
 * @param reported The archives that earlier reports name.
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
    await look(report, missingArchives(reported), excludes, entryTicks(run, path, "inspect", "listing the directory"));
  } catch (error) {
    const stop = stopOf(error, path);
    if (stop.status === "interrupted") throw stop;
    report.status = "failed";
    report.reason = stop.message;
  }
  report.notes.push(...interruptedPruneNotes(path));
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
  const archive = openArchive(path);
  try {
    const fault = tableFault(archive);
    if (fault !== undefined) throw new Stop("failed", `The archive ${path} is damaged: ${fault}.`);
    if (!isThere && isPruned(archive)) noteRemoved(report, countEntries(archive));
    else if (!isThere) report.reason = "The directory does not exist; its archive does.";
    const difference = isThere ? await compareCheaply(archive, report, excludes, tick) : null;
    if (difference === null) return countArchived(report, archive);
    report.status = "planned";
    report.notes.push(`the directory changed since it was archived: ${difference}`);
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
  report.reason = `${gone.join(". ")}. The directory does not exist either.`;
}

/** Summary of the differences; null if nothing differs. Notes the entries that `prune` removed. */
async function compareCheaply(
  archive: Database,
  report: StateDirectoryReport,
  excludes: Excludes,
  tick: Tick,
): Promise<string | null> {
  const { path, entries } = report;
  const reader = new FileReader();
  const count = { found: 0, changed: 0, gone: 0 };
  for (const archived of archivedEntries(archive, false)) {
    const entry = currentEntry(path, archived, excludes);
    if (entry === undefined) count.gone += 1;
    else count.found += 1;
    if (entry !== undefined && faultOf(archived, entry, path, { contents: false }, reader) !== undefined)
      count.changed += 1;
    if ((count.found + count.gone) % 1000 === 0) await tick(count.found + count.gone, entries);
  }
  if (isPruned(archive)) {
    noteRemoved(report, count.gone);
    count.gone = 0;
  }
  const parts = [
    ...(entries > count.found ? [`${entries - count.found} new`] : []),
    ...(count.changed > 0 ? [`${count.changed} changed`] : []),
    ...(count.gone > 0 ? [`${count.gone} removed`] : []),
  ];
  return parts.length === 0 ? null : parts.join(", ");
}
