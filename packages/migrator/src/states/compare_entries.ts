import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { type ArchivedEntry, archivedEntries } from "./archived_entries.ts";
import { type EntryName, pathBelow, shownName } from "./entry_name.ts";
import { type Closeness, faultOf, unpackedOrNull } from "./fault.ts";
import { Few } from "../core/bounded_list.ts";
import { hasOtherAccess } from "./other_access.ts";
import { FileReader } from "./read_file.ts";
import { type Entry, entryAt, type Excludes } from "./walk_tree.ts";

/** How an archive is compared with a directory. */
export interface Comparison extends Closeness {
  /** Nothing is wrong with an entry that is in the archive only. */
  mayLack?: boolean;
  /** Gets the names of entries with another owner or mode, which are no difference. */
  otherAccess?: Few;
}

/** What a comparison of entries found. */
export class Compared {
  /** How many of the archived entries are there. */
  found = 0;
  readonly differences: Few = new Few();
}

/**
 * Compares the entries of an archive, or those from a name on or before it, with what is there. Stops at every thousand
 * and says how many are done.
 */
export function* compareEntries(
  archive: Database,
  root: string,
  excludes: Excludes,
  comparison: Comparison,
  part: { from?: EntryName | undefined; before?: EntryName | undefined },
  compared: Compared,
): Generator<number, void, undefined> {
  const reader = new FileReader();
  let done = 0;
  for (const archived of archivedEntries(archive, comparison.contents !== false, part)) {
    done += 1;
    if (done % 1000 === 0) yield done;
    if (isStill(archived, root, excludes, reader)) {
      compared.found += 1;
      continue;
    }
    const entry = there(root, archived, excludes);
    if (entry !== undefined) {
      compared.found += 1;
      if (hasOtherAccess(archived, entry)) comparison.otherAccess?.add(shownName(archived.name));
    } else if (comparison.mayLack === true) continue;
    const fault = wrongWith(archived, entry, root, comparison, reader);
    if (fault !== undefined) compared.differences.add(`${shownName(archived.name)} ${fault}`);
  }
}

/** Most files are just as they were, and that is quick to see; of all else it takes a closer look to say what it is. */
function isStill(archived: ArchivedEntry, root: string, excludes: Excludes, reader: FileReader): boolean {
  if (archived.kind !== "file" || excludes(`${root}/${shownName(archived.name)}`, "file")) return false;
  const before = unpackedOrNull(archived);
  return before !== null && reader.isStill(pathBelow(root, archived.name), archived, before);
}

function wrongWith(
  archived: ArchivedEntry,
  entry: Entry | undefined,
  root: string,
  comparison: Comparison,
  reader: FileReader,
): string | undefined {
  return entry === undefined ? "is in the archive only" : faultOf(archived, entry, root, comparison, reader);
}

/** What lies in the directory under the name of an archived entry, unless it is no part of the states now. */
export function there(root: string, { name }: Pick<Entry, "name">, excludes: Excludes): Entry | undefined {
  const entry = entryAt(root, name);
  return entry === undefined || excludes(`${root}/${shownName(name)}`, entry.kind) ? undefined : entry;
}
