import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { freeBytes } from "../inspect/disk_need.ts";
import type { StateDirectoryReport } from "../report/report.ts";
import type { Run } from "../run/run.ts";
import { Stop, stopOf } from "../stop.ts";
import { newestArchiveName } from "./archive_place.ts";
import { countEntries } from "./archived_entries.ts";
import { checkArchive } from "./check_archive.ts";
import { bytesOf, findMissing } from "./missing_entries.ts";
import { openArchive } from "./open_archive.ts";
import { restoreMissing } from "./restore_missing.ts";
import { restoreWhole } from "./restore_whole.ts";
import { entryTicks, type Tick } from "./ticks.ts";
import type { Excludes } from "./walk_tree.ts";

/**
 * Says what {@link restoreStates} would do with the state directory that a report is about, whether it is there or not.
 * Reads only. The report becomes `planned`, `nothing_to_do` or `refused`, with how many entries would come back.
 */
export async function planRestore(report: StateDirectoryReport, excludes: Excludes, run: Run): Promise<void> {
  try {
    await run.stage(report.path, "inspect", "comparing the archive with the directory");
    await decide(report, excludes, run);
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
 * with modes and times, or single entries of it. What is there stays as it is. The archive stays as well.
 */
export async function restoreStates(report: StateDirectoryReport, excludes: Excludes, run: Run): Promise<void> {
  report.notes = [];
  report.restored = 0;
  try {
    await run.stage(report.path, "restore", "bringing the directory back from its archive");
    const isUntouched = await decide(report, excludes, run);
    const archive = report.archive?.path;
    if (report.status !== "planned" || archive === undefined) return;
    // So far it is what would come back.
    report.restored = 0;
    const tick = ticks(run, report.path, "restore", "writing entries");
    if (isThere(report.path)) await restoreMissing(report, archive, isUntouched, tick);
    else await restoreWhole(report, archive, tick);
    report.status = "restored";
  } catch (error) {
    const stop = stopOf(error, report.path);
    report.restored = 0;
    report.status = stop.status;
    report.reason = stop.message;
  }
}

function ticks(run: Run, path: string, stage: "inspect" | "restore", detail: string): Tick {
  return entryTicks(run, path, stage, detail);
}

/** Returns whether the directory has nothing that its archive has not. */
async function decide(report: StateDirectoryReport, excludes: Excludes, run: Run): Promise<boolean> {
  const { path } = report;
  const name = newestArchiveName(path);
  report.status = "nothing_to_do";
  if (name === undefined) {
    report.reason = "There is no archive of it.";
    return false;
  }
  report.archive = { path: name, bytes: lstatSync(name).size, sha256: null };
  const tick = ticks(run, path, "inspect", "comparing the archive with the directory");
  report.restored = isThere(path) ? await findMissing(report, name, excludes, tick) : countAll(name);
  const isUntouched = report.notes.length === 0;
  if (report.restored === 0) return isUntouched;
  const [damage] = await checkArchive(name, path, ticks(run, path, "inspect", "checking the archive"));
  if (damage !== undefined) throw new Stop("refused", `The archive ${name} is not as it was written: ${damage}.`);
  const place = dirname(path);
  if (freeBytes(place) < bytesOf(name))
    throw new Stop("refused", `Too little disk space in ${place} to write what is in the archive.`);
  report.status = "planned";
  return isUntouched;
}

/** True for a directory; what else has its name must not be replaced. */
function isThere(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return found !== undefined;
  throw new Stop("refused", `Expected a directory or nothing, found something else. Move it elsewhere first.`);
}

function countAll(path: string): number {
  const archive = openArchive(path);
  try {
    // The directory itself comes back as well, also where nothing lay in it.
    return Math.max(1, countEntries(archive));
  } finally {
    archive.close();
  }
}
