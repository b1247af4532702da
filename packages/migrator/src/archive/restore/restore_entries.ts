import { chmodSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { countText } from "@perdura/cli/quantities.js";
import { renameFile } from "@perdura/internals/files/rename_file.js";
import { syncDirectory } from "@perdura/internals/files/sync_directory.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { BoundedList } from "../../core/bounded_list.ts";
import type { StateDirectoryReport } from "../../core/report.ts";
import { Stop } from "../../core/stop.ts";
import { giveName } from "../../io/placing.ts";
import { temporaryDirectory } from "../format/archive_place.ts";
import { archivedDirectory, archivedEntries } from "../format/archived_entries.ts";
import { type EntryName, parentOf, pathBelow } from "../tree/entry_name.ts";
import { openArchive } from "../format/open_archive.ts";
import { compareArchive } from "../read/compare_archive.ts";
import { noteOtherAccess } from "../read/compare_entries.ts";
import { ModificationTimes } from "../tree/modification_times.ts";
import { removeTree } from "../tree/remove_tree.ts";
import { type Entry, entryAt, type Tick, walkTree } from "../tree/walk_tree.ts";
import { type Extracted, extractTree } from "./extract_tree.ts";
import { MissingEntries, type Missing } from "./missing_entries.ts";

/**
 * Restores the entries that a directory lacks: writes them into a temporary directory, syncs them, and moves
 * them to their places one by one, each completely or not at all. Existing entries are not replaced. The report counts
 * them, also after a failure: entries that were moved stay.
 */
export async function restoreMissing(
  report: StateDirectoryReport,
  { archive: path, isUntouched }: Missing,
  tick: Tick,
): Promise<void> {
  const directory = report.path;
  const temporary = join(movableFrom(directory), basename(temporaryDirectory("restoring", directory)));
  const gaps = new MissingEntries(directory, path);
  const { archive } = gaps;
  try {
    mkdirSync(temporary, { mode: 0o700 });
    const extracted = await extractTree(archive, temporary, {
      trusted: true,
      wanted: ({ name }) => gaps.relationOf(name) === "missing",
      tick,
    });
    try {
      await moveAll(archive, temporary, directory, tick);
    } finally {
      report.restored += extracted.entries - countLeft(temporary, directory);
    }
    noteTimes(report, extracted);
    // Before the times are set: it may be within the directory.
    removeTree(temporary);
    if (isUntouched) await setDirectoryTimes(archive, directory);
  } finally {
    gaps.close();
    removeTree(temporary);
  }
}

/** The directory next to which, or in which, entries can be moved into it: within it, if it is a mount point. */
function movableFrom(directory: string): string {
  const place = dirname(directory);
  return statSync(place).dev === statSync(directory).dev ? place : directory;
}

async function moveAll(archive: Database, from: string, to: string, tick: Tick): Promise<void> {
  const filled = new Set<EntryName>();
  let done = 0;
  try {
    for (const { name } of archivedEntries(archive, false)) {
      const entry = entryAt(from, name);
      // Moved with its directory, or already present.
      if (entry === undefined || entryAt(to, name) !== undefined) continue;
      if (move(pathBelow(from, name), pathBelow(to, name), entry)) filled.add(parentOf(name));
      done += 1;
      if (done % 1000 === 0) await tick(done);
    }
  } finally {
    for (const name of filled) syncDirectory(name === "" ? to : (pathBelow(to, name) as string));
  }
}

/** Returns false if another process took the name meanwhile; its file stays. */
function move(from: string | Buffer, to: string | Buffer, { kind, mode }: Entry): boolean {
  // Some systems cannot make a hard link to a symbolic link; some link to its target.
  if (kind === "file") return giveName(from, to);
  // A read-only directory cannot be moved: its parent is recorded inside it.
  const isClosed = kind === "directory" && (mode & 0o200) === 0;
  if (isClosed) chmodSync(from, 0o700);
  renameFile(from, to);
  if (isClosed) chmodSync(to, mode & 0o7777);
  return true;
}

/** Number of entries left in the temporary directory, except for directories whose entries were moved. */
function countLeft(from: string, to: string): number {
  let count = 0;
  for (const { name, kind } of walkTree(from, () => false))
    if (kind !== "directory" || entryAt(to, name) === undefined) count += 1;
  return count;
}

/** Sets the times of directories, which moving entries into them changed. */
async function setDirectoryTimes(archive: Database, root: string): Promise<void> {
  const times = new ModificationTimes();
  for (const entry of archivedEntries(archive, false, { backwards: true }))
    if (entry.kind === "directory") await times.set(pathBelow(root, entry.name), entry);
  await times.set(root, archivedDirectory(archive));
  await times.settle();
}

/**
 * Restores a missing directory: writes a temporary one next to it, compares it with the archive, syncs it, and then
 * renames it. At any time it exists completely or not at all.
 */
export async function restoreWhole(report: StateDirectoryReport, path: string, tick: Tick): Promise<void> {
  const directory = report.path;
  const place = dirname(directory);
  const temporary = temporaryDirectory("restoring", directory);
  const archive = openArchive(path);
  try {
    mkdirSync(temporary, { mode: 0o700 });
    const extracted = await extractTree(archive, temporary, {
      trusted: true,
      directory: archivedDirectory(archive),
      tick,
    });
    await assertEqual(report, path, temporary, extracted, tick);
    if (lstatSync(directory, { throwIfNoEntry: false }) !== undefined)
      throw new Stop("in_use", "Another program created a directory with this name. Run this command again.");
    renameFile(temporary, directory);
    syncDirectory(place);
    noteTimes(report, extracted);
    // An empty directory counts as one entry.
    report.restored += Math.max(1, extracted.entries);
  } catch (error) {
    removeTree(temporary);
    throw error;
  } finally {
    archive.close();
  }
}

/** Error of a time on systems that cannot set it exactly: the precision of seconds as a double. */
const INEXACT_NS = 1000n;

async function assertEqual(
  report: StateDirectoryReport,
  path: string,
  temporary: string,
  { inexactTimes }: Extracted,
  tick: Tick,
): Promise<void> {
  const otherAccess = new BoundedList();
  const [difference] = await compareArchive(path, temporary, () => false, tick, {
    directoryTimes: true,
    otherAccess,
    timeNs: inexactTimes > 0 ? INEXACT_NS : 0n,
  });
  if (difference !== undefined)
    throw new Stop("failed", `The restored files differ from the archive: ${difference}. Nothing was restored.`);
  // Some users may not change owners, and some file systems do not store owners and modes.
  noteOtherAccess(report, otherAccess);
}

/** Notes times that are not exact to the nanosecond. */
function noteTimes(report: StateDirectoryReport, { inexactTimes }: Extracted): void {
  if (inexactTimes > 0)
    report.notes.push(
      `${countText(inexactTimes, "time")} restored to the microsecond only: the touch and xargs of this system cannot set nanoseconds`,
    );
}
