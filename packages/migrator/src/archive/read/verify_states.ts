import type { Workers } from "../../io/child/workers.ts";
import type { Progress } from "../../core/run.ts";
import { statSync } from "node:fs";
import { stateDirectoryReport, type StateDirectoryReport } from "../../core/report.ts";
import { stopOf } from "../../core/stop.ts";
import { archiveNames, olderArchive, archivesGone } from "../format/archive_place.ts";
import { checkArchive } from "./check_archive.ts";
import { compareArchive } from "./compare_archive.ts";
import { countStates } from "../states/count_states.ts";
import { Few } from "../../core/bounded_list.ts";
import { prunedBefore } from "../prune/leftovers.ts";
import { Listing } from "../tree/listing.ts";
import { entryTicks, type Tick, type Excludes } from "../tree/walk_tree.ts";
import { noteOtherAccess } from "./compare_entries.ts";

/**
 * Compares the newest archive of a state directory with the directory, byte by byte, and every archive of it with itself.
 *
 * @param reported The archives that reports of earlier runs name.
 */
export async function verifyStates(
  path: string,
  reported: readonly string[],
  excludes: Excludes,
  run: Progress & Workers,
): Promise<StateDirectoryReport> {
  const report = stateDirectoryReport(path);
  await run.stage(path, "compare", "comparing the archive with the directory");
  const archives = archiveNames(path).toReversed();
  try {
    await compare(report, archives, archivesGone(reported), excludes, run);
  } catch (error) {
    const stop = stopOf(error, path);
    // An archive that cannot be read is one that is not as it was written.
    report.status = stop.status === "failed" && archives.length > 0 ? "differs" : stop.status;
    report.reason =
      report.status === "differs"
        ? `It cannot be compared with its archive ${archives[0]}: ${stop.message}`
        : stop.message;
  }
  report.notes.push(...prunedBefore(path));
  return report;
}

async function compare(
  report: StateDirectoryReport,
  [archive, ...older]: readonly string[],
  gone: readonly string[],
  excludes: Excludes,
  run: Progress & Workers,
): Promise<void> {
  const there = statSync(report.path, { throwIfNoEntry: false })?.isDirectory() === true;
  const ticks = (detail: string): Tick => entryTicks(run, report.path, "compare", detail);
  if (there) {
    const listing = await Listing.of(report.path, excludes, ticks("listing the directory"));
    await countStates(report, listing, ticks("reading state files"));
  }
  if (archive === undefined) {
    report.status = gone.length === 0 ? "not_compared" : "differs";
    report.reason = gone.length === 0 ? "There is no archive of it yet." : `${gone.join(". ")}.`;
    return;
  }
  report.archive = { path: archive, bytes: statSync(archive).size, sha256: await run.files.hash(archive) };
  report.notes.push(...older.map(olderArchive));
  const damage = await checkArchive(archive, report.path, ticks("checking the archive"));
  const otherAccess = new Few();
  report.differences = [
    // What does not belong together cannot be compared with anything.
    ...(there && damage.length === 0
      ? await compareArchive(archive, report.path, excludes, ticks("comparing the archive with the directory"), {
          otherAccess,
        })
      : damage),
    ...gone,
  ];
  noteOtherAccess(report, otherAccess);
  for (const path of older) report.differences.push(...(await checkOlder(path, report.path, run)));
  report.status = report.differences.length > 0 ? "differs" : there ? "verified" : "not_compared";
  if (report.status === "not_compared") report.reason = "The directory is gone; its archive is whole.";
}

async function checkOlder(archive: string, directory: string, run: Progress): Promise<string[]> {
  const tick = entryTicks(run, directory, "compare", "checking an older archive");
  try {
    return (await checkArchive(archive, directory, tick)).map((difference) => `${archive}: ${difference}`);
  } catch (error) {
    const stop = stopOf(error, archive);
    if (stop.status === "interrupted") throw stop;
    return [`${archive} cannot be read: ${stop.message}`];
  }
}
