import { dirname } from "node:path";
import { countText } from "@perdura/cli/quantities.js";
import { BoundedList } from "../../core/bounded_list.ts";
import type { HasSettings } from "../../core/options.ts";
import type { Progress } from "../../core/progress.ts";
import { stateDirectoryReport, type StateDirectoryReport } from "../../core/report.ts";
import { Stop, stopOfFound } from "../../core/stop.ts";
import { assertArchivePlace, freeBytes, rehearsalPlace } from "../../io/access.ts";
import { assertNameable, freeArchivePath, newestArchive } from "../format/archive_place.ts";
import { skippedEntriesNote } from "../tree/entry_name.ts";
import { openArchive } from "../format/open_archive.ts";
import { isPrunedArchive } from "../format/pruned_mark.ts";
import { neededBytes } from "../format/size.ts";
import { compareArchive } from "../read/compare_archive.ts";
import { countArchived, countStates, putSurvey } from "../states/count_states.ts";
import { assertArchivable, keepListing, Listing, type Listings, takeListing } from "../states/listing.ts";
import { entryTicks, type Excludes } from "../tree/walk_tree.ts";

/** Plans `up` for a state directory. Reads only. {@link countPlanned} counts the states. */
export async function planStates(
  path: string,
  excludes: Excludes,
  run: Progress & HasSettings & Listings,
): Promise<StateDirectoryReport> {
  const report = stateDirectoryReport(path);
  await attempt(report, async () => {
    await run.stage(path, "inspect", "listing the directory");
    await decide(report, excludes, run);
  });
  return report;
}

/** Reads the states of a directory that `up` would archive. `up` reads them while it archives them. */
export async function countPlanned(
  report: StateDirectoryReport,
  excludes: Excludes,
  run: Progress & Listings,
): Promise<void> {
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
    const stop = stopOfFound(error, report.path);
    if (stop.status === "interrupted") throw stop;
    report.status = stop.status === "in_use" ? "in_use" : "refused";
    report.reason = stop.message;
  }
}

async function decide(
  report: StateDirectoryReport,
  excludes: Excludes,
  run: Progress & HasSettings & Listings,
): Promise<void> {
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
  const passedOver = skippedEntriesNote(found.passedOver);
  if (passedOver !== null) report.notes.push(passedOver);
  const newest = newestArchive(path);
  // `prune` keeps directories that contain a database: archiving these again would hide their earlier content.
  const mayLack = found.directories === found.entries || (newest !== undefined && isPrunedArchive(newest));
  if (newest !== undefined && (await isEqual(newest, path, excludes, mayLack, run))) {
    report.status = "nothing_to_do";
    report.archive = { path: newest, bytes: 0, sha256: null };
    return countFromArchive(report, newest);
  }
  if (newest !== undefined)
    report.notes.push(`the directory changed since it was archived in ${newest}; this archive is kept`);
  if (found.linked > 0)
    report.notes.push(
      `${countText(found.linked, "file")} with several hard links; each is archived as a separate file`,
    );
  if (!run.settings.rehearse) assertArchivePlace(path);
  assertNameable(path);
  checkDisk(report, listing, run);
  report.status = "planned";
  report.archive = { path: freeArchivePath(path), bytes: 0, sha256: null };
}

async function isEqual(
  archive: string,
  path: string,
  excludes: Excludes,
  mayLack: boolean,
  run: Progress,
): Promise<boolean> {
  const detail = "comparing the archive with the directory";
  await run.stage(path, "inspect", detail);
  const tick = entryTicks(run, path, "inspect", detail);
  // Another owner or mode does not prevent anything, but needs a new archive, so that `down` restores it.
  const otherAccess = new BoundedList();
  const differences = await compareArchive(archive, path, excludes, tick, { mayLack, otherAccess });
  return differences.length + otherAccess.count === 0;
}

function countFromArchive(report: StateDirectoryReport, path: string): void {
  const archive = openArchive(path);
  try {
    countArchived(report, archive);
  } finally {
    archive.close();
  }
}

function checkDisk(report: StateDirectoryReport, listing: Listing, { settings }: HasSettings): void {
  const beside = dirname(report.path);
  const place = settings.rehearse ? rehearsalPlace(beside, null) : beside;
  const disk = {
    path: place,
    needed_bytes: neededBytes(listing.survey.archivedBytes),
    free_bytes: freeBytes(place),
  };
  report.disk = disk;
  if (disk.free_bytes < disk.needed_bytes)
    throw new Stop(
      "refused",
      `Too little disk space in ${place} for the archive: ${disk.needed_bytes} bytes are needed at most, ${disk.free_bytes} are free. Free disk space there: the archive is written next to its directory.`,
    );
}
