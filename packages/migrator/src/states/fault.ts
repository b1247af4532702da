import { type ArchivedEntry, unpacked } from "./archived_entries.ts";
import { pathBelow } from "./entry_name.ts";
import type { FileReader } from "./read_file.ts";
import type { Entry } from "./walk_tree.ts";

/** How closely an archived entry is compared with the one in the directory. */
export interface Closeness {
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
export function unpackedOrNull(archived: ArchivedEntry): Buffer | null {
  try {
    return unpacked(archived);
  } catch {
    return null;
  }
}
