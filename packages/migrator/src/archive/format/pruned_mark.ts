import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { countText } from "@perdura/cli/quantities.js";
import { isTemporaryName } from "@perdura/internals/files/temporary_names.js";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { entriesIn } from "../../io/entries.ts";
import { isTemporaryOf } from "./archive_place.ts";
import { openArchive, UNPRUNED } from "./open_archive.ts";

/** The value of `user_version` of an archive whose entries `prune` removed from the directory. */
const PRUNED = 1;

/** True if `prune` removed the archived entries, and `down` did not restore them since. */
export function isPruned(archive: Database): boolean {
  return archive.pragma("user_version", { simple: true }) === PRUNED;
}

/** True if the archive at this path has the mark of `prune`. */
export function isPrunedArchive(path: string): boolean {
  const archive = openArchive(path);
  try {
    return isPruned(archive);
  } finally {
    archive.close();
  }
}

/**
 * Marks an archive before `prune` removes its entries, or removes the mark before `down` restores them. The archive has
 * the mark itself: reports may be deleted.
 *
 * The archive may be the only copy of the states. So only the first 100 bytes of the file change, in a single write,
 * without a journal that a killed process would leave.
 *
 * @returns Null, or the reason why this user may not write to the archive.
 * @throws an error if the archive cannot be read or written for another reason.
 */
export function markPruned(path: string, pruned: boolean): string | null {
  if (isPrunedArchive(path) === pruned) return null;
  if (!isWritable(path)) return `this user may not write to ${path}`;
  const archive = openDatabase(path, { intent: "change" });
  try {
    archive.pragma("journal_mode = MEMORY");
    archive.pragma(`user_version = ${pruned ? PRUNED : UNPRUNED}`);
    return null;
  } finally {
    archive.close();
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Note on entries that only the archive has, because `prune` removed them. */
export function prunedNote(entries: number): string {
  return `${countText(entries, "entry", "entries")} ${entries === 1 ? "was" : "were"} removed by prune, and ${entries === 1 ? "is" : "are"} in the archive`;
}

/** Notes on the remains of a directory that an interrupted `prune` was removing. */
export function interruptedPruneNotes(directory: string): string[] {
  if (!existsSync(dirname(directory))) return [];
  return [...entriesIn(dirname(directory))]
    .filter(
      (entry) => entry.isDirectory() && isTemporaryName(entry.name) && isTemporaryOf(entry.name, "pruned", directory),
    )
    .map(
      ({ name }) =>
        `prune was interrupted; the files that it did not remove are in ${join(dirname(directory), name)}. Run prune again`,
    );
}
