import type { Workers } from "../io/child/workers.ts";
import type { Progress } from "../core/run.ts";
import { removeCopy } from "../io/copy_database.ts";
import { accessWithin, createFileFor } from "../io/private_file.ts";
import type { StateDirectoryReport } from "../core/report.ts";
import { Stop } from "../core/stop.ts";
import { compareArchive } from "./compare_archive.ts";
import { putSurvey } from "./count_states.ts";
import type { Listing } from "./listing.ts";
import { assertArchivable } from "./survey.ts";
import { entryTicks } from "./ticks.ts";
import { type Entry, entryAt, type Excludes } from "./walk_tree.ts";
import { type ArchiveFiles, writeArchive } from "./write_archive.ts";

/**
 * Writes an archive of a directory, syncs it, reads it back and compares it byte by byte with the directory. The listing
 * is closed.
 *
 * @returns The checksum of the archive.
 * @throws Stop with `in_use` when the directory is not as it was listed any more.
 */
export async function writeProvedArchive(
  report: StateDirectoryReport,
  listing: Listing,
  files: ArchiveFiles,
  excludes: Excludes,
  run: Progress & Workers,
): Promise<string> {
  try {
    const access = accessWithin([report.path]);
    for (const path of Object.values(files)) {
      removeCopy(path);
      createFileFor(path, access);
    }
    await write(report, listing, files, run);
  } finally {
    listing.close();
  }
  // In its own process, at the same time as the comparison. Looked at below; unhandled it would end the program.
  const synced = run.files
    .sync(files.archive)
    .then(() => run.files.hash(files.archive))
    .then(
      (sha256) => ({ sha256 }),
      (error: unknown) => ({ error }),
    );
  await readBack(files.archive, report.path, excludes, run);
  const outcome = await synced;
  if ("error" in outcome) throw outcome.error;
  return outcome.sha256;
}

async function write(
  report: StateDirectoryReport,
  listing: Listing,
  files: ArchiveFiles,
  run: Progress & Workers,
): Promise<void> {
  const root = report.path;
  const { survey } = listing;
  putSurvey(report, survey);
  assertArchivable(survey);
  const detail = `writing ${survey.entries} entries`;
  await run.stage(root, "archive", detail);
  const counter = await writeArchive(files, {
    root,
    listing,
    directory: entryAt(root, "") as Entry,
    helper: run.states,
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
  const [difference] = await compareArchive(archive, directory, excludes, tick, {}, run.states);
  if (difference !== undefined)
    throw new Stop(
      "in_use",
      `The directory changed while it was archived (${difference}). Stop the program that writes to it, then run this command again.`,
    );
}
