import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { BoundedList } from "../../core/bounded_list.ts";
import { archivedDirectory, countEntries } from "../format/archived_entries.ts";
import { boundName, shownName } from "../tree/entry_name.ts";
import { openArchive } from "../format/open_archive.ts";
import { FileReader } from "../tree/read_file.ts";
import { mayConfuseNames } from "./indistinct_names.ts";
import { entryAt, type Excludes, type Tick, walkTree } from "../tree/walk_tree.ts";
import { Compared, compareEntries, type Comparison, faultOf, hasOtherAccess } from "./compare_entries.ts";

/**
 * Compares an archive with a directory: names, kinds, times, and every byte of every file.
 *
 * @returns The differences, a sentence each; empty if the archive and the directory have the same content.
 */
export async function compareArchive(
  path: string,
  root: string,
  excludes: Excludes,
  tick: Tick,
  comparison: Comparison = {},
): Promise<string[]> {
  const archive = openArchive(path);
  try {
    const compared = new Compared();
    const directory = entryAt(root, "");
    const archived = archivedDirectory(archive);
    const fault = directory && faultOf(archived, directory, root, comparison, new FileReader());
    if (directory && hasOtherAccess(archived, directory)) comparison.otherAccess?.add("the directory itself");
    if (fault !== undefined) compared.differences.add(`the directory itself ${fault}`);
    const total = countEntries(archive);
    for (const done of compareEntries(archive, root, excludes, comparison, compared)) await tick(done, total);
    const there = countThere(root, excludes);
    await tick(total, total);
    if (compared.found !== there || (directory !== undefined && mayConfuseNames(root)))
      addExtraEntries(archive, root, excludes, compared.differences);
    return compared.differences.list();
  } finally {
    archive.close();
  }
}

/** Number of entries below a directory that may be part of the states. */
export function countThere(root: string, excludes: Excludes): number {
  let count = 0;
  for (const { excluded } of walkTree(root, excludes)) if (!excluded) count += 1;
  return count;
}

function addExtraEntries(archive: Database, root: string, excludes: Excludes, differences: BoundedList): void {
  const isArchived = archive.prepare("SELECT 1 FROM entries WHERE name = CAST(? AS TEXT)").pluck();
  for (const { name, excluded } of walkTree(root, excludes))
    if (!excluded && isArchived.get(boundName(name)) === undefined)
      differences.add(`${shownName(name)} is only in the directory`);
}
