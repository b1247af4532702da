import { dirname } from "node:path";
import { freeBytes } from "../inspect/disk_need.ts";
import { stateDirectoryReport } from "../report/new_reports.ts";
import type { StateDirectoryReport } from "../report/report.ts";
import type { Run } from "../run/run.ts";
import { Stop, stopOf } from "../stop.ts";
import { freeArchivePath, newestArchive } from "./archive_place.ts";
import { compareArchive } from "./compare_archive.ts";
import { countStates } from "./count_states.ts";
import { type Excludes, listTree, type Tree } from "./tree.ts";

/** Says what `up` would do with a state directory. Reads only. */
export async function planStates(path: string, excludes: Excludes, run: Run): Promise<StateDirectoryReport> {
  const report = stateDirectoryReport(path);
  try {
    await run.stage(path, "inspect", "reading state files");
    const tree = listTree(path, excludes);
    countStates(report, tree);
    decide(report, tree);
  } catch (error) {
    const stop = stopOf(error, path);
    if (stop.status === "interrupted") throw stop;
    report.status = "refused";
    report.reason = stop.message;
  }
  return report;
}

function decide(report: StateDirectoryReport, tree: Tree): void {
  if (tree.special.length > 0) {
    throw new Stop(
      "refused",
      `No archive can hold what is neither a file, a directory nor a link: ${tree.special.join(", ")}. Move it elsewhere first.`,
    );
  }
  if (tree.entries.length === 0) {
    report.status = "left_alone";
    report.reason = "The directory is empty.";
    return;
  }
  const newest = newestArchive(tree.root);
  const differences = newest === undefined ? [] : compareArchive(newest, tree);
  if (newest !== undefined && differences.length === 0) {
    report.status = "nothing_to_do";
    report.archive = { path: newest, bytes: 0, sha256: null };
    return;
  }
  if (newest !== undefined) report.notes.push(`${newest} holds an earlier state of the directory and stays as it is`);
  if (freeBytes(dirname(tree.root)) < report.bytes * 2)
    throw new Stop("refused", `Too little disk space in ${dirname(tree.root)} for the archive.`);
  report.status = "planned";
  report.archive = { path: freeArchivePath(tree.root), bytes: 0, sha256: null };
}
