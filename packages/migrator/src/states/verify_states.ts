import { statSync } from "node:fs";
import { stateDirectoryReport } from "../report/new_reports.ts";
import type { StateDirectoryReport } from "../report/report.ts";
import type { Run } from "../run/run.ts";
import { stopOf } from "../stop.ts";
import { newestArchiveName } from "./archive_place.ts";
import { checkArchive } from "./check_archive.ts";
import { compareArchive } from "./compare_archive.ts";
import { countStates } from "./count_states.ts";
import { Listing } from "./listing.ts";
import { entryTicks } from "./ticks.ts";
import type { Excludes } from "./walk_tree.ts";

/**
 * Compares the newest archive of a state directory with the directory, byte by byte, and its table of states with what
 * is archived.
 *
 * @param reported The archive that a report of an earlier run names.
 */
export async function verifyStates(
  path: string,
  reported: string | undefined,
  excludes: Excludes,
  run: Run,
): Promise<StateDirectoryReport> {
  const report = stateDirectoryReport(path);
  await run.stage(path, "compare", "comparing the archive with the directory");
  const archive = newestArchiveName(path);
  try {
    await compare(report, archive ?? reported, excludes, run);
  } catch (error) {
    const stop = stopOf(error, path);
    // An archive that cannot be read is one that is not as it was written.
    report.status = stop.status === "failed" && archive !== undefined ? "differs" : stop.status;
    report.reason =
      report.status === "differs" ? `It cannot be compared with its archive ${archive}: ${stop.message}` : stop.message;
  }
  return report;
}

async function compare(
  report: StateDirectoryReport,
  archive: string | undefined,
  excludes: Excludes,
  run: Run,
): Promise<void> {
  const there = statSync(report.path, { throwIfNoEntry: false })?.isDirectory() === true;
  const tick = entryTicks(run, report.path, "compare", "comparing the archive with the directory");
  if (there) await countStates(report, await Listing.of(report.path, excludes, tick), tick);
  const found = archive === undefined ? undefined : statSync(archive, { throwIfNoEntry: false });
  if (archive === undefined || found === undefined) {
    report.status = archive === undefined ? "not_compared" : "differs";
    report.reason =
      archive === undefined ? "There is no archive of it yet." : `The archive that a report names is gone: ${archive}.`;
    return;
  }
  report.archive = { path: archive, bytes: found.size, sha256: await run.files.hash(archive) };
  report.differences = [
    ...(there ? await compareArchive(archive, report.path, excludes, tick) : []),
    ...(await checkArchive(archive, report.path, tick)),
  ];
  report.status = report.differences.length > 0 ? "differs" : there ? "verified" : "not_compared";
  if (report.status === "not_compared") report.reason = "The directory is gone; its archive is whole.";
}
