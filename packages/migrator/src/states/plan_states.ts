import { dirname } from "node:path";
import { freeBytes } from "../inspect/disk_need.ts";
import { stateDirectoryReport } from "../report/new_reports.ts";
import type { StateDirectoryReport } from "../report/report.ts";
import type { Run } from "../run/run.ts";
import { Stop, stopOf } from "../stop.ts";
import { freeArchivePath, newestArchive } from "./archive_place.ts";
import { compareArchive } from "./compare_archive.ts";
import { countStates, putSurvey } from "./count_states.ts";
import { keepListing, takeListing } from "./kept_listings.ts";
import { Listing } from "./listing.ts";
import { openArchive } from "./open_archive.ts";
import { countArchived } from "./state_counter.ts";
import { assertArchivable } from "./survey.ts";
import { entryTicks } from "./ticks.ts";
import type { Excludes } from "./walk_tree.ts";

/** Says what `up` would do with a state directory. Reads only. The states themselves are counted by {@link countPlanned}. */
export async function planStates(path: string, excludes: Excludes, run: Run): Promise<StateDirectoryReport> {
  const report = stateDirectoryReport(path);
  await attempt(report, async () => {
    await run.stage(path, "inspect", "listing the directory");
    await decide(report, excludes, run);
  });
  return report;
}

/** Reads the states of a directory that `up` would archive. `up` itself does that while it archives them. */
export async function countPlanned(report: StateDirectoryReport, excludes: Excludes, run: Run): Promise<void> {
  if (report.status !== "planned") return;
  await attempt(report, async () => {
    await run.stage(report.path, "inspect", "reading state files");
    const tick = entryTicks(run, report.path, "inspect", "reading state files");
    const listing = takeListing(run, report.path) ?? (await Listing.of(report.path, excludes, tick));
    await countStates(report, listing, tick);
  });
}

async function attempt(report: StateDirectoryReport, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const stop = stopOf(error, report.path);
    if (stop.status === "interrupted") throw stop;
    report.status = stop.status === "in_use" ? "in_use" : "refused";
    report.reason = stop.message;
  }
}

async function decide(report: StateDirectoryReport, excludes: Excludes, run: Run): Promise<void> {
  const { path } = report;
  const listing = await Listing.of(path, excludes, entryTicks(run, path, "inspect", "listing the directory"));
  keepListing(run, path, listing);
  const found = listing.survey;
  putSurvey(report, found);
  assertArchivable(found);
  if (found.entries === 0) {
    report.status = "left_alone";
    report.reason = "The directory is empty.";
    return;
  }
  const newest = newestArchive(path);
  if (newest !== undefined && (await isEqual(newest, path, excludes, run))) {
    report.status = "nothing_to_do";
    report.archive = { path: newest, bytes: 0, sha256: null };
    return countFromArchive(report, newest);
  }
  if (newest !== undefined) report.notes.push(`${newest} holds an earlier state of the directory and stays as it is`);
  if (freeBytes(dirname(path)) < neededBytes(found.bytes, found.entries))
    throw new Stop("refused", `Too little disk space in ${dirname(path)} for the archive.`);
  report.status = "planned";
  report.archive = { path: freeArchivePath(path), bytes: 0, sha256: null };
}

async function isEqual(archive: string, path: string, excludes: Excludes, run: Run): Promise<boolean> {
  const detail = "comparing the archive with the directory";
  await run.stage(path, "inspect", detail);
  return (await compareArchive(archive, path, excludes, entryTicks(run, path, "inspect", detail))).length === 0;
}

function countFromArchive(report: StateDirectoryReport, path: string): void {
  const archive = openArchive(path);
  try {
    countArchived(report, archive);
  } finally {
    archive.close();
  }
}

/**
 * Contents are stored once, and what a state says once more; names and checksums take their place too. While it is
 * written, half of it may be there twice.
 */
function neededBytes(bytes: number, entries: number): number {
  return bytes * 3 + entries * 900;
}
