import { chmodSync, mkdirSync, renameSync } from "node:fs";
import { syncDirectory } from "@perdura/internals/files/sync_directory.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { giveName } from "../../io/placing.ts";
import type { StateDirectoryReport } from "../../core/report.ts";
import { archivedDirectory, archivedEntries } from "../format/archived_entries.ts";
import { Gaps, type Missing } from "./missing_entries.ts";
import { type EntryName, parentOf, pathBelow } from "../format/entry_name.ts";
import { extractTree } from "./extract_tree.ts";
import { ModificationTimes } from "../tree/modification_times.ts";
import { removeTree } from "../tree/remove_tree.ts";
import { noteTimes } from "./restore_whole.ts";
import { temporaryDirectory } from "../format/archive_place.ts";
import { type Tick, type Entry, entryAt, walkTree } from "../tree/walk_tree.ts";

/**
 * Brings back the entries that a directory lacks and that no newer archive has: written into a temporary directory beside
 * it, synced, and moved to their places one after the other, each wholly there or not at all. Nothing that is there is
 * replaced. The report counts them, also where it fails in between: what is in its place stays.
 *
 * @param index Which of the archives.
 */
export async function restoreMissing(
  report: StateDirectoryReport,
  { archives, isUntouched }: Missing,
  index: number,
  tick: Tick,
): Promise<void> {
  const directory = report.path;
  const temporary = temporaryDirectory("restoring", directory);
  const gaps = Gaps.of(directory, archives);
  const archive = gaps.archives[index] as Database;
  try {
    mkdirSync(temporary, { mode: 0o700 });
    const extracted = await extractTree(archive, temporary, {
      trusted: true,
      wanted: ({ name }) => gaps.standingOf(index, name) === "missing",
      tick,
    });
    try {
      await moveAll(archive, temporary, directory, tick);
    } finally {
      report.restored += extracted.entries - countLeft(temporary, directory);
    }
    noteTimes(report, extracted);
    if (isUntouched) await setDirectoryTimes(archive, directory);
  } finally {
    gaps.close();
    removeTree(temporary);
  }
}

async function moveAll(archive: Database, from: string, to: string, tick: Tick): Promise<void> {
  const filled = new Set<EntryName>();
  let done = 0;
  try {
    for (const { name } of archivedEntries(archive, false)) {
      const entry = entryAt(from, name);
      // Moved along with the directory that it lies in, or there before.
      if (entry === undefined || entryAt(to, name) !== undefined) continue;
      if (move(pathBelow(from, name), pathBelow(to, name), entry)) filled.add(parentOf(name));
      done += 1;
      if (done % 1000 === 0) await tick(done);
    }
  } finally {
    for (const name of filled) syncDirectory(name === "" ? to : (pathBelow(to, name) as string));
  }
}

/** False when somebody else took the name meanwhile: then that one stays. */
function move(from: string | Buffer, to: string | Buffer, { kind, mode }: Entry): boolean {
  // Not every system makes a second name for a link; some make one for what it leads to.
  if (kind === "file") return giveName(from, to);
  // A directory that must not be written to cannot be moved elsewhere: what it lies in is noted inside it.
  const isClosed = kind === "directory" && (mode & 0o200) === 0;
  if (isClosed) chmodSync(from, 0o700);
  renameSync(from, to);
  if (isClosed) chmodSync(to, mode & 0o7777);
  return true;
}

/** How many entries are still in the temporary directory, beside the directories that others were moved out of. */
function countLeft(from: string, to: string): number {
  let count = 0;
  for (const { name, kind } of walkTree(from, () => false))
    if (kind !== "directory" || entryAt(to, name) === undefined) count += 1;
  return count;
}

/** Times of directories, which what was moved into them changed. */
async function setDirectoryTimes(archive: Database, root: string): Promise<void> {
  const times = new ModificationTimes();
  for (const entry of archivedEntries(archive, false, { backwards: true }))
    if (entry.kind === "directory") await times.set(pathBelow(root, entry.name), entry);
  await times.set(root, archivedDirectory(archive));
  await times.settle();
}
