import { rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { createFileFor } from "@perdura/internals/files/private_file.js";
import { hasAclBelow } from "@perdura/internals/files/acl.js";
import { makePrivateDirectory } from "@perdura/internals/files/private_directory.js";
import { countText } from "@perdura/cli/quantities.js";
import { syncDirectory } from "@perdura/internals/files/sync_directory.js";
import type { HasSettings } from "../../core/options.ts";
import type { Cleanup, Progress } from "../../core/progress.ts";
import type { StateDirectoryReport } from "../../core/report.ts";
import { Stop, stopOf } from "../../core/stop.ts";
import { isWritableDirectory } from "../../io/access.ts";
import type { Workers } from "../../io/child/workers.ts";
import { removeCopy } from "../../io/copy_database.ts";
import { giveName, noFreeName, TRIES } from "../../io/placing.ts";
import { freeArchivePath, newestArchive, temporaryIn } from "../format/archive_place.ts";
import { compareArchive } from "../read/compare_archive.ts";
import { putSurvey } from "../states/count_states.ts";
import { assertArchivable, Listing, type Listings, takeListing } from "../states/listing.ts";
import { type Entry, entryAt, entryTicks, type Excludes } from "../tree/walk_tree.ts";
import { writeArchive } from "./write_archive.ts";

/**
 * Archives a state directory in one file next to it: writes it under a temporary name, syncs it, compares it byte by
 * byte with the directory, and then renames it. The directory is only read.
 */
export async function archiveStates(
  report: StateDirectoryReport,
  excludes: Excludes,
  run: Progress & HasSettings & Workers & Cleanup & Listings,
): Promise<void> {
  const directory = report.path;
  const own = run.settings.rehearse && !isWritableDirectory(dirname(directory)) ? makePrivateDirectory() : undefined;
  const temporary = temporaryIn(own ?? dirname(directory), directory);
  try {
    const known = newestArchive(directory);
    const sha256 = await writeAndCompare(report, temporary, excludes, run);
    if (run.settings.rehearse) {
      report.archive = null;
      report.status = "rehearsed";
      return;
    }
    await run.stage(directory, "place", "renaming the archive");
    const path = await putInPlace(temporary, directory, known, excludes, run);
    syncDirectory(dirname(directory));
    report.archive = { path, bytes: statSync(path).size, sha256 };
    report.status = "archived";
  } catch (error) {
    const stop = stopOf(error, directory);
    report.status = stop.status;
    report.reason = stop.message;
    report.archive = null;
  } finally {
    run.discard(temporary);
    if (own !== undefined) rmSync(own, { recursive: true, force: true });
  }
}

/**
 * The listing of the plan may be outdated, because other data were migrated since. Then the directory is listed again.
 */
async function writeAndCompare(
  report: StateDirectoryReport,
  path: string,
  excludes: Excludes,
  run: Progress & Workers & Listings,
): Promise<string> {
  const planned = takeListing(run, report.path);
  if (planned !== undefined) {
    try {
      return await writeProvedArchive(report, planned, path, excludes, run);
    } catch (error) {
      if (stopOf(error, report.path).status !== "in_use") throw error;
    }
  }
  const tick = entryTicks(run, report.path, "archive", "listing the directory");
  return writeProvedArchive(report, await Listing.of(report.path, excludes, tick), path, excludes, run);
}

/** Another run may have archived the same directory in parallel: its archive is used, and ours is removed. */
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

/**
 * Writes an archive of a directory, syncs it, and compares it byte by byte with the directory. Closes the listing.
 *
 * @returns The checksum of the archive.
 * @throws Stop with `in_use` if the directory changed since it was listed.
 */
async function writeProvedArchive(
  report: StateDirectoryReport,
  listing: Listing,
  path: string,
  excludes: Excludes,
  run: Progress & Workers,
): Promise<string> {
  try {
    removeCopy(path);
    const { access } = listing.survey;
    if (access.mayHideAcl() && hasAclBelow(report.path)) access.addAcl();
    createFileFor(path, access.get());
    await write(report, listing, path, run);
  } finally {
    listing.close();
  }
  // In another process, in parallel with the comparison. Awaited below; an unhandled rejection would end the program.
  const synced = run.files
    .sync(path)
    .then(() => run.files.hash(path))
    .then(
      (sha256) => ({ sha256 }),
      (error: unknown) => ({ error }),
    );
  await readBack(path, report.path, excludes, run);
  const outcome = await synced;
  if ("error" in outcome) throw outcome.error;
  return outcome.sha256;
}

async function write(
  report: StateDirectoryReport,
  listing: Listing,
  path: string,
  run: Progress & Workers,
): Promise<void> {
  const root = report.path;
  const { survey } = listing;
  putSurvey(report, survey);
  assertArchivable(survey);
  const detail = `writing ${countText(survey.entries, "entry", "entries")}`;
  await run.stage(root, "archive", detail);
  const counter = await writeArchive(path, {
    root,
    listing,
    directory: entryAt(root, "") as Entry,
    tick: entryTicks(run, root, "archive", detail),
  });
  counter.putInto(report);
}

async function readBack(
  archive: string,
  directory: string,
  excludes: Excludes,
  run: Progress & Workers,
): Promise<void> {
  const detail = "comparing the archive with the directory byte by byte";
  await run.stage(directory, "read_back", detail);
  const tick = entryTicks(run, directory, "read_back", detail);
  const [difference] = await compareArchive(archive, directory, excludes, tick);
  if (difference !== undefined)
    throw new Stop(
      "in_use",
      `The directory changed while it was archived (${difference}). Stop the program that writes to it, then run this command again.`,
    );
}
