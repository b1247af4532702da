import { mkdirSync, renameSync } from "node:fs";
import { syncDirectory } from "@perdura/internals/files/atomic_write.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { giveName } from "../placing/give_name.ts";
import type { StateDirectoryReport } from "../report/report.ts";
import { archivedDirectory, archivedEntries } from "./archived_entries.ts";
import { type EntryName, parentOf, pathBelow, shownName } from "./entry_name.ts";
import { extractTree } from "./extract_tree.ts";
import { Few } from "./few.ts";
import { ModificationTimes } from "./modification_times.ts";
import { openArchive } from "./open_archive.ts";
import { removeTree } from "./remove_tree.ts";
import { noteTimes } from "./restore_whole.ts";
import { temporaryDirectory } from "./temporary_directory.ts";
import type { Tick } from "./ticks.ts";
import { entryAt, type Kind } from "./walk_tree.ts";

/**
 * Brings back the entries that a directory lacks: written into a temporary directory beside it, synced, and moved to
 * their places one after the other, each wholly there or not at all. Nothing that is there is replaced.
 *
 * @param isUntouched What is there is as it was archived: then the directories get their times back as well.
 */
export async function restoreMissing(
  report: StateDirectoryReport,
  path: string,
  isUntouched: boolean,
  tick: Tick,
): Promise<void> {
  const directory = report.path;
  const temporary = temporaryDirectory("restoring", directory);
  const archive = openArchive(path);
  try {
    mkdirSync(temporary, { mode: 0o700 });
    const extracted = await extractTree(archive, temporary, {
      trusted: true,
      wanted: ({ name }) => entryAt(directory, name) === undefined,
      tick,
    });
    noteTimes(report, extracted);
    const stuck = await moveAll(archive, temporary, directory, tick);
    if (isUntouched) await setDirectoryTimes(archive, directory);
    report.restored = extracted.entries - stuck.count;
    if (stuck.count > 0)
      report.notes.push(`not restored, because what they lay in is no directory any more: ${stuck.list().join(", ")}`);
  } finally {
    archive.close();
    removeTree(temporary);
  }
}

/** Returns the entries that have no place. */
async function moveAll(archive: Database, from: string, to: string, tick: Tick): Promise<Few> {
  const stuck = new Few();
  const filled = new Set<EntryName>();
  let done = 0;
  for (const { name } of archivedEntries(archive, false)) {
    const entry = entryAt(from, name);
    // Moved along with the directory that it lies in, or there before.
    if (entry === undefined || entryAt(to, name) !== undefined) continue;
    const parent = parentOf(name);
    if (entryAt(to, parent)?.kind !== "directory") stuck.add(shownName(name));
    else if (move(pathBelow(from, name), pathBelow(to, name), entry.kind)) filled.add(parent);
    done += 1;
    if (done % 1000 === 0) await tick(done);
  }
  for (const name of filled) syncDirectory(name === "" ? to : (pathBelow(to, name) as string));
  return stuck;
}

/** False when somebody else took the name meanwhile: then that one stays. */
function move(from: string | Buffer, to: string | Buffer, kind: Kind): boolean {
  // Not every system makes a second name for a link; some make one for what it leads to.
  if (kind === "file") return giveName(from, to);
  renameSync(from, to);
  return true;
}

/** Times of directories, which what was moved into them changed. */
async function setDirectoryTimes(archive: Database, root: string): Promise<void> {
  const times = new ModificationTimes();
  for (const entry of archivedEntries(archive, false, { backwards: true }))
    if (entry.kind === "directory") await times.set(pathBelow(root, entry.name), entry);
  await times.set(root, archivedDirectory(archive));
  await times.settle();
}
