import { renameSync, rmdirSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory } from "@perdura/internals/files/atomic_write.js";
import type { StateDirectoryReport } from "../report/report.ts";
import type { Run } from "../run/run.ts";
import { Stop, stopOf } from "../stop.ts";
import { archivedEntries } from "./archived_entries.ts";
import { compareArchive } from "./compare_archive.ts";
import { there } from "./compare_entries.ts";
import { pathBelow } from "./entry_name.ts";
import { faultOf } from "./fault.ts";
import { survey } from "./survey.ts";
import { openArchive } from "./open_archive.ts";
import { FileReader } from "./read_file.ts";
import { removeTree } from "./remove_tree.ts";
import { temporaryDirectory } from "./temporary_directory.ts";
import { entryTicks } from "./ticks.ts";
import type { Excludes } from "./walk_tree.ts";

/** Removes a state directory that `planPrune` found to be archived. */
export async function pruneStates(report: StateDirectoryReport, excludes: Excludes, run: Run): Promise<void> {
  const archive = report.archive?.path;
  if (report.status !== "planned" || archive === undefined) return;
  report.status = "not_started";
  try {
    await run.stage(report.path, "prune", `removing ${report.removed} entries`);
    const { excluded } = await survey(
      report.path,
      excludes,
      entryTicks(run, report.path, "prune", "listing the directory"),
    );
    if (excluded > 0) report.removed = await removeEntries(archive, report.path, excludes, run);
    else await removeWhole(archive, report.path, run);
    report.status = "pruned";
  } catch (error) {
    const stop = stopOf(error, report.path);
    report.status = stop.status;
    report.reason = stop.message;
    report.removed = 0;
  }
}

/**
 * Takes the name away from a directory and then removes it, so that a kill leaves it wholly there or wholly gone. What
 * was written into it since it was compared shows once nobody can find it any more: then it gets its name back.
 */
async function removeWhole(archive: string, path: string, run: Run): Promise<void> {
  const temporary = temporaryDirectory("pruned", path);
  const tick = entryTicks(run, path, "prune", "looking at it once more");
  renameSync(path, temporary);
  try {
    syncDirectory(dirname(path));
    const [difference] = await compareArchive(archive, temporary, () => false, tick, {
      mayLack: true,
      contents: false,
    });
    if (difference !== undefined)
      throw new Stop("in_use", `It changed while it was compared (${difference}). Stop the program that writes to it.`);
  } catch (error) {
    giveBack(temporary, path);
    throw error;
  }
  removeTree(temporary);
  syncDirectory(dirname(path));
}

function giveBack(temporary: string, path: string): void {
  try {
    renameSync(temporary, path);
  } catch (error) {
    throw new Stop(
      "failed",
      `It changed while it was compared, and lies in ${temporary} now: ${(error as Error).message}.`,
    );
  }
  syncDirectory(dirname(path));
}

/** Removes the archived entries one after the other; what is not archived stays, and the directories that it lies in. */
async function removeEntries(path: string, root: string, excludes: Excludes, run: Run): Promise<number> {
  const archive = openArchive(path);
  try {
    const reader = new FileReader();
    const tick = entryTicks(run, root, "prune", "removing entries");
    let removed = 0;
    for (const archived of archivedEntries(archive, false, { backwards: true })) {
      const entry = there(root, archived, excludes);
      // What changed since it was compared, a moment ago, stays.
      if (entry === undefined || faultOf(archived, entry, root, { contents: false }, reader) !== undefined) continue;
      if (remove(pathBelow(root, entry.name), entry.kind === "directory")) removed += 1;
      if (removed % 1000 === 0) await tick(removed);
    }
    syncDirectory(root);
    return removed;
  } finally {
    archive.close();
  }
}

/** False for a directory in which something else lies. */
function remove(path: string | Buffer, isDirectory: boolean): boolean {
  if (!isDirectory) unlinkSync(path);
  try {
    if (isDirectory) rmdirSync(path);
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}
