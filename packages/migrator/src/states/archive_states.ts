import type { Workers } from "../io/child/workers.ts";
import type { Cleanup, HasSettings, Progress } from "../core/run.ts";
import { type Listings, takeListing, Listing } from "./listing.ts";
import { rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory } from "@perdura/internals/files/sync_directory.js";
import { takesFiles } from "../io/access.ts";
import { privateDirectory } from "../io/readable_database.ts";
import { noFreeName, giveName, TRIES } from "../io/placing.ts";
import type { StateDirectoryReport } from "../core/report.ts";
import { stopOf } from "../core/stop.ts";
import { temporaryIn } from "./archive_names.ts";
import { freeArchivePath, newestArchive } from "./archive_place.ts";
import { compareArchive } from "./compare_archive.ts";
import { writeProvedArchive } from "./prove_archive.ts";
import { entryTicks } from "./ticks.ts";
import type { Excludes } from "./walk_tree.ts";
import type { ArchiveFiles } from "./write_archive.ts";

/**
 * Archives a state directory in one file beside it: written under a temporary name, synced, read back and compared byte
 * by byte with the directory, and only then given its name. The directory itself is only read.
 */
export async function archiveStates(
  report: StateDirectoryReport,
  excludes: Excludes,
  run: Progress & HasSettings & Workers & Cleanup & Listings,
): Promise<void> {
  const directory = report.path;
  const own = run.settings.rehearse && !takesFiles(dirname(directory)) ? privateDirectory() : undefined;
  const files = temporaryFiles(directory, own ?? dirname(directory));
  try {
    const known = newestArchive(directory);
    const sha256 = await writeAndCompare(report, files, excludes, run);
    if (run.settings.rehearse) {
      report.archive = null;
      report.status = "rehearsed";
      return;
    }
    await run.stage(directory, "place", "giving the archive its name");
    const path = await putInPlace(files.archive, directory, known, excludes, run);
    syncDirectory(dirname(directory));
    report.archive = { path, bytes: statSync(path).size, sha256 };
    report.status = "archived";
  } catch (error) {
    const stop = stopOf(error, directory);
    report.status = stop.status;
    report.reason = stop.message;
    report.archive = null;
  } finally {
    for (const path of Object.values(files)) run.discard(path);
    if (own !== undefined) rmSync(own, { recursive: true, force: true });
  }
}

function temporaryFiles(directory: string, place: string): ArchiveFiles {
  const next = (): string => temporaryIn(place, directory);
  return { archive: next(), listing: next(), half: next() };
}

/** What was listed for the plan may be long ago: other data were migrated since. Then it is listed once more. */
async function writeAndCompare(
  report: StateDirectoryReport,
  files: ArchiveFiles,
  excludes: Excludes,
  run: Progress & Workers & Listings,
): Promise<string> {
  const planned = takeListing(run, report.path);
  if (planned !== undefined) {
    try {
      return await writeProvedArchive(report, planned, files, excludes, run);
    } catch (error) {
      if (stopOf(error, report.path).status !== "in_use") throw error;
    }
  }
  const tick = entryTicks(run, report.path, "archive", "listing the directory");
  return writeProvedArchive(report, await Listing.of(report.path, excludes, tick), files, excludes, run);
}

/** Another run may have archived the same at the same time: its archive is used, and ours goes. */
async function putInPlace(
  temporary: string,
  directory: string,
  known: string | undefined,
  excludes: Excludes,
  run: Progress,
): Promise<string> {
  const tick = entryTicks(run, directory, "place", "comparing with the archive of another run");
  for (let tries = 0; tries < TRIES; tries += 1) {
    const newest = newestArchive(directory);
    const isNew = newest !== undefined && newest !== known;
    if (isNew && (await compareArchive(newest, directory, excludes, tick)).length === 0) return newest;
    const path = freeArchivePath(directory);
    if (giveName(temporary, path)) return path;
  }
  throw noFreeName(freeArchivePath(directory), TRIES);
}
