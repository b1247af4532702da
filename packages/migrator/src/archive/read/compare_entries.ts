import { countText } from "@perdura/cli/quantities.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { BoundedList } from "../../core/bounded_list.ts";
import type { StateDirectoryReport } from "../../core/report.ts";
import { archivedEntries, type ArchivedEntry, unpacked } from "../format/archived_entries.ts";
import { listedName, pathBelow, shownName } from "../tree/entry_name.ts";
import { FileReader } from "../tree/read_file.ts";
import { type Entry, entryAt, type Excludes } from "../tree/walk_tree.ts";

/** Options for the comparison of an archive with a directory. */
export interface Comparison extends ComparisonPrecision {
  /** True if entries may be in the archive only. */
  mayLack?: boolean;
  /** Collects the names of entries with another owner or mode, which does not count as a difference. */
  otherAccess?: BoundedList;
}

/** Result of a comparison of entries. */
export class Compared {
  /** Number of archived entries that exist in the directory. */
  found = 0;
  readonly differences: BoundedList = new BoundedList();
}

/** Compares the entries of an archive with the directory. Yields the number of finished entries after every thousand. */
export function* compareEntries(
  archive: Database,
  root: string,
  excludes: Excludes,
  comparison: Comparison,
  compared: Compared,
): Generator<number, void, undefined> {
  const reader = new FileReader();
  let done = 0;
  for (const archived of archivedEntries(archive, comparison.contents !== false)) {
    done += 1;
    if (done % 1000 === 0) yield done;
    if (isUnchanged(archived, root, excludes, reader)) {
      compared.found += 1;
      continue;
    }
    const entry = currentEntry(root, archived, excludes);
    if (entry !== undefined) {
      compared.found += 1;
      if (hasOtherAccess(archived, entry)) comparison.otherAccess?.add(shownName(archived.name));
    } else if (comparison.mayLack === true) continue;
    const fault = differenceOf(archived, entry, root, comparison, reader);
    if (fault !== undefined) compared.differences.add(`${shownName(archived.name)} ${fault}`);
  }
}

/** Fast check for unchanged files, which most are; the detailed comparison names the difference of the others. */
function isUnchanged(archived: ArchivedEntry, root: string, excludes: Excludes, reader: FileReader): boolean {
  if (archived.kind !== "file" || excludes(`${root}/${listedName(archived.name)}`, "file")) return false;
  const before = unpackedOrNull(archived);
  return before !== null && reader.isStill(pathBelow(root, archived.name), archived, before);
}

function differenceOf(
  archived: ArchivedEntry,
  entry: Entry | undefined,
  root: string,
  comparison: Comparison,
  reader: FileReader,
): string | undefined {
  return entry === undefined ? "is only in the archive" : faultOf(archived, entry, root, comparison, reader);
}

/** The entry of the directory with the name of an archived entry, unless it is excluded now. */
export function currentEntry(root: string, { name }: Pick<Entry, "name">, excludes: Excludes): Entry | undefined {
  const entry = entryAt(root, name);
  return entry === undefined || excludes(`${root}/${listedName(name)}`, entry.kind) ? undefined : entry;
}

/** Precision of the comparison of an archived entry with the one in the directory. */
interface ComparisonPrecision {
  /** False: compares only sizes and times of files. */
  contents?: boolean;
  /**
   * True: also compares the times of directories. These change with every file in them, so they say nothing about
   * states.
   */
  directoryTimes?: boolean;
  /** Maximum difference of times in nanoseconds, for systems that cannot set them more exactly. Default 0. */
  timeNs?: bigint;
}

/**
 * Describes how an entry of the directory differs from the archived one; undefined if they are equal. Owner and mode
 * concern access, not content: {@link hasOtherAccess} compares them.
 */
export function faultOf(
  archived: Entry | ArchivedEntry,
  entry: Entry,
  root: string,
  { contents = true, directoryTimes = false, timeNs = 0n }: ComparisonPrecision,
  reader: FileReader,
): string | undefined {
  if (archived.kind !== entry.kind) return `was a ${archived.kind} and is a ${entry.kind}`;
  if (hasOtherContent(archived, entry, root, contents, reader)) return "has different content";
  const apart = archived.mtimeNs - entry.mtimeNs;
  const isTimed = entry.kind !== "directory" || directoryTimes;
  return isTimed && (apart < 0n ? -apart : apart) > timeNs ? "has a different time" : undefined;
}

function hasOtherContent(
  archived: Entry | ArchivedEntry,
  entry: Entry,
  root: string,
  contents: boolean,
  reader: FileReader,
): boolean {
  if (entry.kind === "directory") return false;
  // On some file systems the size of a link is not the length of its target's name.
  if (entry.kind === "file" && archived.size !== entry.size) return true;
  if (!contents || !("data" in archived)) return false;
  const before = unpackedOrNull(archived);
  if (before === null) return true;
  return entry.kind === "file"
    ? !reader.holds(pathBelow(root, entry.name), before)
    : reader.content(root, entry)?.equals(before) !== true;
}

/** Content of an archived entry; null also if the stored data are damaged. */
function unpackedOrNull(archived: ArchivedEntry): Buffer | null {
  try {
    return unpacked(archived);
  } catch {
    return null;
  }
}

/** True if an entry has another owner, group or mode than the archived one. This concerns access, not content. */
export function hasOtherAccess(archived: Entry, { mode, uid, gid }: Entry): boolean {
  return archived.mode !== mode || archived.uid !== uid || archived.gid !== gid;
}

/** Reports entries that {@link hasOtherAccess} found; they do not count as differences. */
export function noteOtherAccess(report: StateDirectoryReport, entries: BoundedList): void {
  if (entries.count > 0)
    report.notes.push(
      `${countText(entries.count, "entry", "entries")} with a different owner or mode in the archive: ${entries.list().join(", ")}`,
    );
}
