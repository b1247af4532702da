import type { Progress } from "../core/run.ts";
import { renameSync, rmdirSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory } from "@perdura/internals/files/sync_directory.js";
import type { StateDirectoryReport } from "../core/report.ts";
import { Stop, stopOf, stoppedAfter } from "../core/stop.ts";
import { assertRemovable } from "./assert_removable.ts";
import { archivedEntries } from "./archived_entries.ts";
import { compareArchive } from "./compare_archive.ts";
import { there } from "./compare_entries.ts";
import { pathBelow } from "./entry_name.ts";
import { faultOf } from "./fault.ts";
import { survey } from "./survey.ts";
import { openArchive } from "./open_archive.ts";
import { FileReader } from "./read_file.ts";
import { isGone } from "./plan_prune.ts";
import { type Removal, removeTree } from "./remove_tree.ts";
import { temporaryDirectory } from "./temporary_directory.ts";
import { entryTicks } from "./ticks.ts";
import type { Excludes } from "./walk_tree.ts";

/** Removes a state directory that `planPrune` found to be archived. Also where that fails, `removed` says what is gone. */
export async function pruneStates(report: StateDirectoryReport, excludes: Excludes, run: Progress): Promise<void> {
  const archive = report.archive?.path;
  if (report.status !== "planned" || archive === undefined) return;
  report.status = "not_started";
  const removal = { removed: 0 };
  try {
    await run.stage(report.path, "prune", `removing ${report.removed} entries`);
    const { excluded } = await survey(
      report.path,
      excludes,
      entryTicks(run, report.path, "prune", "listing the directory"),
    );
    assertRemovable(report.path, excludes, excluded === 0);
    if (excluded > 0) await removeEntries(archive, report.path, excludes, run, removal);
    else await removeWhole(archive, report.path, run, removal);
    report.status = "pruned";
  } catch (error) {
    const stop = stopOf(error, report.path);
    if (stop.status !== "interrupted" && removal.removed === 0 && isGone(report)) return;
    const { status, message } = stoppedAfter(removal.removed, "prune", stop);
    report.status = status;
    report.reason = message;
  } finally {
    report.removed = removal.removed;
  }
}

/**
 * Takes the name away from a directory and then removes it, so that a kill leaves it wholly there or wholly gone. What
 * was written into it since it was compared shows once nobody can find it any more: then it gets its name back, and also
 * where not even the first entry can be removed.
 */
async function removeWhole(archive: string, path: string, run: Progress, removal: Removal): Promise<void> {
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
    removeTree(temporary, removal);
  } catch (error) {
    if (removal.removed === 0) giveBack(temporary, path, stopOf(error, temporary));
    else throw new Stop("failed", `${stopOf(error, temporary).message} What is left lies in ${temporary}.`);
    throw error;
  }
  syncDirectory(dirname(path));
}

/** @throws Stop when somebody took the name meanwhile. */
function giveBack(temporary: string, path: string, { status, message }: Stop): void {
  try {
    renameSync(temporary, path);
  } catch (error) {
    throw new Stop(
      status === "interrupted" ? "failed" : status,
      `${message} It lies in ${temporary} now, and could not be given its name back: ${(error as Error).message}.`,
    );
  }
  syncDirectory(dirname(path));
}

/** Removes the archived entries one after the other; what is not archived stays, and the directories that it lies in. */
async function removeEntries(
  path: string,
  root: string,
  excludes: Excludes,
  run: Progress,
  removal: Removal,
): Promise<void> {
  const archive = openArchive(path);
  try {
    const reader = new FileReader();
    const tick = entryTicks(run, root, "prune", "removing entries");
    for (const archived of archivedEntries(archive, false, { backwards: true })) {
      const entry = there(root, archived, excludes);
      // What changed since it was compared, a moment ago, stays.
      if (entry === undefined || faultOf(archived, entry, root, { contents: false }, reader) !== undefined) continue;
      if (remove(pathBelow(root, entry.name), entry.kind === "directory")) removal.removed += 1;
      if (removal.removed % 1000 === 0) await tick(removal.removed);
    }
    syncDirectory(root);
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
