import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import type { Progress } from "../../core/progress.ts";
import type { StateDirectoryReport } from "../../core/report.ts";
import { Stop, stopOf, stoppedAfter } from "../../core/stop.ts";
import { freeBytes } from "../../io/access.ts";
import { stampOfFile } from "../../io/entries.ts";
import { archiveNames, missingArchives } from "../format/archive_place.ts";
import { markPruned } from "../format/pruned_mark.ts";
import { checkArchive } from "../read/check_archive.ts";
import { entryTicks, type Excludes } from "../tree/walk_tree.ts";
import { bytesOf, damaged, findMissing, type Missing } from "./missing_entries.ts";
import { restoreMissing, restoreWhole } from "./restore_entries.ts";

/**
 * Archives that passed their check, with their stamps at that time: each is checked once in a run, unless it changed
 * since.
 */
export type CheckedArchives = Map<string, string>;

/**
 * Plans {@link restoreStates} for the state directory of a report, which may be missing. Reads only. The report becomes
 * `planned`, `nothing_to_do`, `refused` or `failed`, with the number of entries to restore.
 *
 * @param reported The archives that earlier reports name.
 * @param checked Archives that need no second check; the function adds those that it checks.
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
    await decide(report, excludes, run, reported, checked);
  } catch (error) {
    const stop = stopOf(error, report.path);
    if (stop.status === "interrupted") throw stop;
    report.status = "refused";
    report.restored = 0;
    report.reason = stop.message;
  }
}

/**
 * Restores archived entries that a state directory no longer has, from its newest archive: the whole directory, byte for
 * byte with modes and times, or single entries. Existing entries and the contents of the archives stay unchanged.
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
    await run.stage(report.path, "restore", "restoring the directory from its archive");
    const missing = await decide(report, excludes, run, reported, checked);
    // Until now it is the planned number.
    report.restored = 0;
    if (report.status !== "planned" || missing === undefined) return;
    const fault = markPruned(missing.archive, false);
    if (fault !== null)
      report.notes.push(
        `cannot record in the archive that its entries are restored, so verify will not report it if one is missing later: ${fault}`,
      );
    const tick = entryTicks(run, report.path, "restore", "writing entries");
    if (isThere(report.path)) await restoreMissing(report, missing, tick);
    else await restoreWhole(report, missing.archive, tick);
    report.status = "restored";
  } catch (error) {
    const { status, message } = stoppedAfter(report.restored, "down", stopOf(error, report.path));
    report.status = status;
    report.reason = message;
  }
}

/** Returns the missing entries; undefined without an archive. */
async function decide(
  report: StateDirectoryReport,
  excludes: Excludes,
  run: Progress,
  reported: readonly string[],
  checked: CheckedArchives,
): Promise<Missing | undefined> {
  const { path } = report;
  const archives = archiveNames(path);
  const gone = missingArchives(reported);
  report.status = "nothing_to_do";
  const newest = archives.pop();
  if (newest === undefined) {
    report.reason = ["The directory has no archive.", ...gone].at(-1) as string;
    if (gone.length === 0 || isThere(path)) return undefined;
    report.status = "failed";
    report.reason +=
      ". The directory does not exist either. Put the archive back, or run this command on the other targets only.";
    return undefined;
  }
  report.notes.push(...gone, ...archives.map(notUsed));
  report.archive = { path: newest, bytes: lstatSync(newest).size, sha256: null };
  isThere(path);
  const tick = entryTicks(run, path, "inspect", "comparing the archive with the directory");
  const missing = await findMissing(report, newest, excludes, tick);
  if (missing.count === 0) return missing;
  await assertUsable(newest, report, run, checked);
  report.restored = missing.count;
  report.status = "planned";
  return missing;
}

function notUsed(path: string): string {
  return `older archive, which is not used: ${path}. perdura-migrate states --extract DIR writes its files into another directory`;
}

async function assertUsable(
  archive: string,
  { path }: StateDirectoryReport,
  run: Progress,
  checked: CheckedArchives,
): Promise<void> {
  const stamp = stampOfFile(archive);
  if (checked.get(archive) !== stamp) {
    const [damage] = await checkArchive(archive, path, entryTicks(run, path, "inspect", "checking the archive"));
    if (damage !== undefined) throw damaged(archive, damage);
    checked.set(archive, stamp);
  }
  const [place, bytes] = [dirname(path), bytesOf(archive)];
  if (freeBytes(place) < bytes)
    throw new Stop(
      "refused",
      `Too little disk space in ${place} to restore the archive: ${bytes} bytes are needed at most, ${freeBytes(place)} are free.`,
    );
}

/** Returns true for a directory; any other file of this name must not be replaced. */
function isThere(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return found !== undefined;
  throw new Stop(
    "refused",
    "Cannot restore the directory: its path is that of another file. Move this file to another directory, then run this command again.",
  );
}
