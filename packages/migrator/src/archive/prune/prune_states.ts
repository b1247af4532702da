import { lstatSync, rmdirSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { countText } from "@perdura/cli/quantities.js";
import { renameFile } from "@perdura/internals/files/rename_file.js";
import { syncDirectory } from "@perdura/internals/files/sync_directory.js";
import type { Progress } from "../../core/progress.ts";
import { stateDirectoryReport, type StateDirectoryReport } from "../../core/report.ts";
import { Stop, stopOf, stoppedAfter } from "../../core/stop.ts";
import { archiveNames, temporaryDirectory } from "../format/archive_place.ts";
import { archivedEntries } from "../format/archived_entries.ts";
import { pathBelow } from "../tree/entry_name.ts";
import { openArchive } from "../format/open_archive.ts";
import { markPruned } from "../format/pruned_mark.ts";
import { checkArchive } from "../read/check_archive.ts";
import { compareArchive } from "../read/compare_archive.ts";
import { faultOf, currentEntry } from "../read/compare_entries.ts";
import { putSurvey } from "../states/count_states.ts";
import { survey } from "../states/listing.ts";
import { FileReader } from "../tree/read_file.ts";
import { assertRemovable, type Removal, removeTree } from "../tree/remove_tree.ts";
import { entryTicks, type Excludes } from "../tree/walk_tree.ts";

/**
 * Decides if a state directory can be removed: its archive is unchanged, and has every existing entry with equal bytes.
 * Entries that are in the archive only do not matter: a killed run may have removed them.
 */
export async function planPrune(path: string, excludes: Excludes, run: Progress): Promise<StateDirectoryReport> {
  const report = stateDirectoryReport(path);
  try {
    await run.stage(path, "compare", "comparing the archive with the directory");
    await decide(report, excludes, run);
  } catch (error) {
    const stop = stopOf(error, path);
    if (stop.status === "interrupted") throw stop;
    if (wasRemovedMeanwhile(report)) return report;
    report.status = stop.status === "failed" ? "refused" : stop.status;
    report.reason = stop.message;
  }
  return report;
}

async function decide(report: StateDirectoryReport, excludes: Excludes, run: Progress): Promise<void> {
  const { path } = report;
  const archives = archiveNames(path);
  const archive = archives.at(-1);
  const found = await survey(path, excludes, entryTicks(run, path, "compare", "listing the directory"));
  putSurvey(report, found);
  report.status = "nothing_to_do";
  if (archive === undefined) {
    report.reason = "The directory has no archive, so it is not removed. Run up to archive it.";
    return;
  }
  report.archive = { path: archive, bytes: lstatSync(archive).size, sha256: null };
  if (found.entries + found.special.length === 0) {
    report.reason = "The directory contains no entry of the archive.";
    return;
  }
  // Checks all archives first: they may be the only copies, and an inconsistent archive cannot be compared.
  for (const name of archives.toReversed()) {
    const [damage] = await checkArchive(name, path, entryTicks(run, path, "compare", "checking the archive"));
    if (damage !== undefined)
      throw new Stop("refused", `The archive ${name} is damaged: ${damage}. Nothing was removed.`);
  }
  const tick = entryTicks(run, path, "compare", "comparing the archive with the directory");
  const [difference] = await compareArchive(archive, path, excludes, tick, { mayLack: true });
  if (difference !== undefined)
    throw new Stop(
      "refused",
      `The directory differs from its archive (${difference}). Nothing was removed. Run up to archive the current content.`,
    );
  assertRemovable(path, excludes, found.excluded === 0);
  report.removed = found.entries;
  report.status = "planned";
  if (found.excluded > 0)
    report.notes.push(
      "the directory also contains files that are not archived; it is kept, and only archived entries are removed",
    );
}

/** True if another run removed the directory meanwhile; sets the report. */
function wasRemovedMeanwhile(report: StateDirectoryReport): boolean {
  if (lstatSync(report.path, { throwIfNoEntry: false }) !== undefined) return false;
  report.status = "nothing_to_do";
  report.removed = 0;
  report.reason = "Another run has already removed the directory.";
  return true;
}

/** Removes a state directory that `planPrune` found to be archived. `removed` is also correct after a failure. */
export async function pruneStates(report: StateDirectoryReport, excludes: Excludes, run: Progress): Promise<void> {
  const archive = report.archive?.path;
  if (report.status !== "planned" || archive === undefined) return;
  report.status = "not_started";
  const removal = { removed: 0 };
  try {
    await run.stage(report.path, "prune", `removing ${countText(report.removed, "entry", "entries")}`);
    const { excluded } = await survey(
      report.path,
      excludes,
      entryTicks(run, report.path, "prune", "listing the directory"),
    );
    assertRemovable(report.path, excludes, excluded === 0);
    const fault = markPruned(archive, true);
    if (fault !== null)
      report.notes.push(
        `cannot record the removal in the archive, so verify and status will report the removed entries as missing: ${fault}`,
      );
    if (excluded > 0) await removeEntries(archive, report.path, excludes, run, removal);
    else if (!(await removeWhole(archive, report.path, run, removal)))
      await removeInPlace(archive, report, run, removal);
    report.status = "pruned";
  } catch (error) {
    const stop = stopOf(error, report.path);
    if (removal.removed === 0 && lstatSync(report.path, { throwIfNoEntry: false }) !== undefined) unmark(archive);
    if (stop.status !== "interrupted" && removal.removed === 0 && wasRemovedMeanwhile(report)) return;
    const { status, message } = stoppedAfter(removal.removed, "prune", stop);
    report.status = status;
    report.reason = message;
  } finally {
    report.removed = removal.removed;
  }
}

/**
 * Renames a directory before removing it, so that a killed run leaves it either complete or without its name. Data that
 * were written since the comparison are detected after the rename, when no program can reach the directory by its name;
 * then it gets its name back, as it does if not even the first entry can be removed.
 *
 * @returns False for a directory that cannot be renamed. Nothing was changed then.
 */
async function removeWhole(archive: string, path: string, run: Progress, removal: Removal): Promise<boolean> {
  const temporary = temporaryDirectory("pruned", path);
  const tick = entryTicks(run, path, "prune", "comparing it with the archive again");
  try {
    renameFile(path, temporary);
  } catch (error) {
    if (UNMOVABLE.has((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
  try {
    syncDirectory(dirname(path));
    const [difference] = await compareArchive(archive, temporary, () => false, tick, {
      mayLack: true,
      contents: false,
    });
    if (difference !== undefined)
      throw new Stop(
        "in_use",
        `The directory changed while it was compared (${difference}). Stop the program that writes to it, then run prune again.`,
      );
    removeTree(temporary, removal);
  } catch (error) {
    if (removal.removed === 0) renameBack(temporary, path, stopOf(error, temporary));
    else throw new Stop("failed", `${stopOf(error, temporary).message} The remaining entries are in ${temporary}.`);
    throw error;
  }
  syncDirectory(dirname(path));
  return true;
}

/** Errors of a rename of a directory in a lower layer of an overlay, and of a mount point. */
const UNMOVABLE = new Set(["EXDEV", "EBUSY"]);

/**
 * Removes the archived entries of a directory that cannot be renamed, then the directory. A killed run leaves some of
 * the entries, which the next run removes. A mount point stays, without entries.
 */
async function removeInPlace(
  archive: string,
  { path, notes }: StateDirectoryReport,
  run: Progress,
  removal: Removal,
): Promise<void> {
  const excludes = (): boolean => false;
  // The modes of directories are not changed in place.
  assertRemovable(path, excludes, false);
  await removeEntries(archive, path, excludes, run, removal);
  try {
    rmdirSync(path);
    syncDirectory(dirname(path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EBUSY") notes.push("the directory is a mount point; it is kept, without its entries");
    else if (isNotEmpty(code))
      throw new Stop(
        "in_use",
        "The directory changed while it was removed. Stop the program that writes to it, then run up and prune again.",
      );
    else throw new Stop("failed", `The empty directory cannot be removed: ${message}.`);
  }
}

function isNotEmpty(code: string | undefined): boolean {
  return code === "ENOTEMPTY" || code === "EEXIST";
}

/** @throws Stop if another process took the name meanwhile. */
function renameBack(temporary: string, path: string, { status, message }: Stop): void {
  try {
    renameFile(temporary, path);
  } catch (error) {
    throw new Stop(
      status === "interrupted" ? "failed" : status,
      `${message} The directory is now ${temporary}; renaming it back failed: ${(error as Error).message}.`,
    );
  }
  syncDirectory(dirname(path));
}

/**
 * Removes the archived entries one by one; entries that are not archived stay, with the directories that contain them.
 */
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
      const entry = currentEntry(root, archived, excludes);
      // Entries that changed since the comparison stay.
      if (entry === undefined || faultOf(archived, entry, root, { contents: false }, reader) !== undefined) continue;
      if (remove(pathBelow(root, entry.name), entry.kind === "directory")) removal.removed += 1;
      if (removal.removed % 1000 === 0) await tick(removal.removed);
    }
    syncDirectory(root);
  } finally {
    archive.close();
  }
}

/** Returns false for a directory that is not empty. */
function remove(path: string | Buffer, isDirectory: boolean): boolean {
  if (!isDirectory) unlinkSync(path);
  try {
    if (isDirectory) rmdirSync(path);
    return true;
  } catch (error) {
    if (isNotEmpty((error as NodeJS.ErrnoException).code)) return false;
    throw error;
  }
}

/** Removes the mark after a failure, which the report names; the next run marks the archive again. */
function unmark(archive: string): void {
  try {
    markPruned(archive, false);
  } catch {
    // The report has the first error.
  }
}
