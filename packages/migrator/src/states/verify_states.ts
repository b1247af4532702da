import { statSync } from "node:fs";
import { stateDirectoryReport } from "../report/new_reports.ts";
import type { StateDirectoryReport } from "../report/report.ts";
import type { Run } from "../run/run.ts";
import { stopOf } from "../stop.ts";
import { newestArchive } from "./archive_place.ts";
import { compareArchive } from "./compare_archive.ts";
import { countStates } from "./count_states.ts";
import { listTree } from "./tree.ts";

/** Compares the newest archive of a state directory with the directory, byte by byte. */
export async function verifyStates(
  path: string,
  excluded: ReadonlySet<string>,
  run: Run,
): Promise<StateDirectoryReport> {
  const report = stateDirectoryReport(path);
  await run.stage(path, "compare", "comparing the archive with the directory");
  try {
    const archive = newestArchive(path);
    const tree = listTree(path, excluded);
    countStates(report, tree);
    if (archive === undefined) {
      report.status = "not_compared";
      report.reason = "There is no archive of it yet.";
      return report;
    }
    report.archive = { path: archive, bytes: statSync(archive).size, sha256: await run.files.hash(archive) };
    report.differences = compareArchive(archive, tree);
    report.status = report.differences.length === 0 ? "verified" : "differs";
  } catch (error) {
    const stop = stopOf(error, path);
    report.status = stop.status;
    report.reason = stop.message;
  }
  return report;
}
