import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { countText } from "@perdura/cli/quantities.js";
import type { Progress } from "../../core/progress.ts";
import type { StateDirectoryReport } from "../../core/report.ts";
import { Stop, stopOf, stoppedAfter } from "../../core/stop.ts";
import { freeBytes } from "../../io/access.ts";
import { stampOfFile } from "../../io/entries.ts";
import { archiveNames, archivesGone } from "../format/archive_place.ts";
import { checkArchive } from "../read/check_archive.ts";
import { entryTicks, type Excludes } from "../tree/walk_tree.ts";
import { bytesOf, damaged, findMissing, type Missing } from "./missing_entries.ts";
import { restoreMissing, restoreWhole } from "./restore_entries.ts";

/** Archives that were found whole, with their stamps then: each is checked once in a run, unless it changed since. */
export type CheckedArchives = Map<string, string>;

/**
 * Says what {@link restoreStates} would do with the state directory that a report is about, whether it is there or not.
 * Reads only. The report becomes `planned`, `nothing_to_do`, `refused` or `failed`, with how many entries would come back.
 *
 * @param reported The archives that reports of earlier runs name.
 * @param checked Archives that need no second check, to which others are added.
 */
export async function planRestore(
  report: StateDirectoryReport,
  excludes: Excludes,
  run: Progress,
  reported: readonly string[] = [],
  checked: CheckedArchives = new Map(),
): Promise<void> {
  try {
    await run.stage(report.path, "inspect", "comparing the archive with the directory");
    const missing = await decide(report, excludes, run, reported, checked);
    if (missing !== undefined) report.notes.push(...sources(missing.archives, missing.counts));
  } catch (error) {
    const stop = stopOf(error, report.path);
    if (stop.status === "interrupted") throw stop;
    report.status = "refused";
    report.restored = 0;
    report.reason = stop.message;
  }
}

/**
 * Brings back what a state directory had when it was archived and has no more: the directory as a whole, byte for byte
 * with modes and times, or single entries of it; from the newest archive first, and then from older ones what no newer
 * one has. What is there stays as it is. The archives stay as well.
 *
 * @param reported As for {@link planRestore}.
 * @param checked As for {@link planRestore}.
 */
export async function restoreStates(
  report: StateDirectoryReport,
  excludes: Excludes,
  run: Progress,
  reported: readonly string[] = [],
  checked: CheckedArchives = new Map(),
): Promise<void> {
  report.notes = [];
  report.restored = 0;
  try {
    await run.stage(report.path, "restore", "bringing the directory back from its archive");
    const missing = await decide(report, excludes, run, reported, checked);
    // So far it is what would come back.
    report.restored = 0;
    if (report.status !== "planned" || missing === undefined) return;
    await bringBack(report, missing, run);
    report.status = "restored";
  } catch (error) {
    const { status, message } = stoppedAfter(report.restored, "down", stopOf(error, report.path));
    report.status = status;
    report.reason = message;
  }
}

/** From one archive after the other; also where that fails, the report says what came back from which. */
async function bringBack(report: StateDirectoryReport, missing: Missing, run: Progress): Promise<void> {
  const { archives, counts } = missing;
  const tick = entryTicks(run, report.path, "restore", "writing entries");
  const came = counts.map(() => 0);
  try {
    for (const [index, count] of counts.entries()) {
      if (count === 0) continue;
      const before = report.restored;
      try {
        if (index > 0 || isThere(report.path)) await restoreMissing(report, missing, index, tick);
        else await restoreWhole(report, archives[0] as string, tick);
      } finally {
        came[index] = report.restored - before;
      }
    }
  } finally {
    report.notes.push(...sources(archives, came));
  }
}

/** Which archive gave how many entries, where there are several. */
function sources(archives: readonly string[], counts: readonly number[]): string[] {
  if (archives.length === 1) return [];
  return archives.flatMap((path, index) =>
    counts[index] === 0
      ? []
      : [`${countText(counts[index] ?? 0, "entry", "entries")} from the ${index === 0 ? "" : "older "}archive ${path}`],
  );
}

/** Returns what is missing; undefined where there is no archive that could tell. */
async function decide(
  report: StateDirectoryReport,
  excludes: Excludes,
  run: Progress,
  reported: readonly string[],
  checked: CheckedArchives,
): Promise<Missing | undefined> {
  const { path } = report;
  const archives = archiveNames(path).toReversed();
  const gone = archivesGone(reported);
  report.status = "nothing_to_do";
  const [newest] = archives;
  if (newest === undefined) {
    report.reason = ["There is no archive of it.", ...gone].at(-1) as string;
    if (gone.length === 0 || isThere(path)) return undefined;
    report.status = "failed";
    report.reason += ", and the directory is gone as well. Put the archive back; or name what else is to go back.";
    return undefined;
  }
  report.notes.push(...gone);
  report.archive = { path: newest, bytes: lstatSync(newest).size, sha256: null };
  isThere(path);
  const tick = entryTicks(run, path, "inspect", "comparing the archive with the directory");
  const missing = await findMissing(report, archives, excludes, tick);
  const needed = archives.filter((_archive, index) => missing.counts[index] !== 0);
  if (needed.length === 0) return missing;
  await assertUsable(needed, report, run, checked);
  report.restored = missing.counts.reduce((sum, count) => sum + count, 0);
  report.status = "planned";
  return missing;
}

async function assertUsable(
  archives: readonly string[],
  { path }: StateDirectoryReport,
  run: Progress,
  checked: CheckedArchives,
): Promise<void> {
  let bytes = 0;
  for (const archive of archives) {
    const stamp = stampOfFile(archive);
    if (checked.get(archive) !== stamp) {
      const [damage] = await checkArchive(archive, path, entryTicks(run, path, "inspect", "checking the archive"));
      if (damage !== undefined) throw damaged(archive, damage);
      checked.set(archive, stamp);
    }
    bytes += bytesOf(archive);
  }
  const place = dirname(path);
  if (freeBytes(place) < bytes)
    throw new Stop("refused", `Too little disk space in ${place} to write what is in the archive.`);
}

/** True for a directory; what else has its name must not be replaced. */
function isThere(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return found !== undefined;
  throw new Stop("refused", `Expected a directory or nothing, found something else. Move it elsewhere first.`);
}
