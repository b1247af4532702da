import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { renameFile } from "@perdura/internals/files/rename_file.js";
import { syncDirectory } from "@perdura/internals/files/sync_directory.js";
import { isAbandoned, isTemporaryName } from "@perdura/internals/files/temporary_names.js";
import type { Cleanup, Progress } from "../../core/progress.ts";
import { entriesIn } from "../../io/entries.ts";
import { directoryOfArchive, ownKind } from "../../io/own_files.ts";
import { isTemporaryFor, isTemporaryOf, newestArchive } from "../format/archive_place.ts";
import { compareArchive } from "../read/compare_archive.ts";
import { removeTree } from "../tree/remove_tree.ts";
import { entryTicks } from "../tree/walk_tree.ts";

/**
 * Completes the work of killed runs in these places. A directory that was being restored or extracted is removed: the
 * archive has its content. A directory that was being pruned is removed if an archive has every entry of it; otherwise,
 * because something was written into it at the last moment, it gets its name back.
 *
 * @returns The state directories that were renamed back.
 */
export async function finishLeftovers(places: Iterable<string>, run: Progress & Cleanup): Promise<string[]> {
  const back: string[] = [];
  for (const place of places)
    for (const path of abandonedIn(place)) {
      const directory = await finish(path, run);
      if (directory !== undefined) back.push(directory);
    }
  return back;
}

function abandonedIn(place: string): string[] {
  const found: string[] = [];
  for (const entry of entriesIn(place))
    if (entry.isDirectory() && isTemporaryName(entry.name) && isAbandoned(join(place, entry.name)))
      found.push(join(place, entry.name));
  return found;
}

async function finish(path: string, run: Progress & Cleanup): Promise<string | undefined> {
  const name = basename(path);
  if (isTemporaryFor(name, "restoring") || isTemporaryFor(name, "extracting")) run.discard(path, removeTree);
  if (!isTemporaryFor(name, "pruned")) return undefined;
  const possible = archivedBeside(path).filter((directory) => isTemporaryOf(name, "pruned", directory));
  for (const directory of possible)
    if (await isArchived(path, directory, run)) return void run.discard(path, removeTree);
  const directory = possible.find((candidate) => !existsSync(candidate));
  // Without an archive its owner is unknown, and it may be the only copy.
  if (directory === undefined) return undefined;
  renameFile(path, directory);
  syncDirectory(dirname(directory));
  return directory;
}

function archivedBeside(path: string): string[] {
  const found = new Set<string>();
  for (const { name } of entriesIn(dirname(path)))
    if (ownKind(name) === "archive") found.add(join(dirname(path), directoryOfArchive(name)));
  return [...found].toSorted();
}

/** True if the newest archive of a directory has all of its remaining entries. */
async function isArchived(path: string, directory: string, run: Progress): Promise<boolean> {
  const archive = newestArchive(directory);
  if (archive === undefined) return false;
  const tick = entryTicks(run, directory, "prune", "comparing the files of an interrupted run with the archive");
  const differences = await compareArchive(archive, path, () => false, tick, { mayLack: true });
  return differences.length === 0;
}
