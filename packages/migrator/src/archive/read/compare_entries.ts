import { countText } from "@perdura/cli/quantities.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { BoundedList } from "../../core/bounded_list.ts";
import type { StateDirectoryReport } from "../../core/report.ts";
import { archivedEntries, type ArchivedEntry, unpacked } from "../format/archived_entries.ts";
import { type EntryName, pathBelow, shownName } from "../format/entry_name.ts";
import { FileReader } from "../tree/read_file.ts";
import { type Entry, entryAt, type Excludes } from "../tree/walk_tree.ts";

/** How an archive is compared with a directory. */
export interface Comparison extends Closeness {
  /** Nothing is wrong with an entry that is in the archive only. */
  mayLack?: boolean;
  /** Gets the names of entries with another owner or mode, which are no difference. */
  otherAccess?: BoundedList;
}

/** What a comparison of entries found. */
export class Compared {
  /** How many of the archived entries are there. */
  found = 0;
  readonly differences: BoundedList = new BoundedList();
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

/** How closely an archived entry is compared with the one in the directory. */
interface Closeness {
  /** False: sizes and times speak for contents. */
  contents?: boolean;
  /** True: also the times of directories, which otherwise change with every file in them and say nothing about states. */
  directoryTimes?: boolean;
  /** By how many nanoseconds times may be apart, because the system could not set them more exactly. Default 0. */
  timeNs?: bigint;
}

/**
 * How an entry of the directory differs from the archived one, in words; undefined when they are equal. Owner and mode say
 * who may use an entry, not what it holds: {@link hasOtherAccess} compares them.
 */
export function faultOf(
  archived: Entry | ArchivedEntry,
  entry: Entry,
  root: string,
  { contents = true, directoryTimes = false, timeNs = 0n }: Closeness,
  reader: FileReader,
): string | undefined {
  if (archived.kind !== entry.kind) return `was a ${archived.kind} and is a ${entry.kind}`;
  if (hasOtherContent(archived, entry, root, contents, reader)) return "has another content";
  const apart = archived.mtimeNs - entry.mtimeNs;
  const isTimed = entry.kind !== "directory" || directoryTimes;
  return isTimed && (apart < 0n ? -apart : apart) > timeNs ? "has another time" : undefined;
}

function hasOtherContent(
  archived: Entry | ArchivedEntry,
  entry: Entry,
  root: string,
  contents: boolean,
  reader: FileReader,
): boolean {
  if (entry.kind === "directory") return false;
  // Not every file system gives a link the size of its target's name.
  if (entry.kind === "file" && archived.size !== entry.size) return true;
  if (!contents || !("data" in archived)) return false;
  const before = unpackedOrNull(archived);
  if (before === null) return true;
  return entry.kind === "file"
    ? !reader.holds(pathBelow(root, entry.name), before)
    : reader.content(root, entry)?.equals(before) !== true;
}

/** The content of an archived entry; null also where what is stored is damaged. */
function unpackedOrNull(archived: ArchivedEntry): Buffer | null {
  try {
    return unpacked(archived);
  } catch {
    return null;
  }
}

/** True where an entry has another owner, group or mode than the archived one: who may use it, not what it holds. */
export function hasOtherAccess(archived: Entry, { mode, uid, gid }: Entry): boolean {
  return archived.mode !== mode || archived.uid !== uid || archived.gid !== gid;
}

/** Reports entries that {@link hasOtherAccess} found; they are no difference. */
export function noteOtherAccess(report: StateDirectoryReport, entries: BoundedList): void {
  if (entries.count > 0)
    report.notes.push(
      `${countText(entries.count, "entry", "entries")} with another owner or mode than archived: ${entries.list().join(", ")}`,
    );
}
