import { accessSync, constants } from "node:fs";
import { Stop } from "../../core/stop.ts";
import { archivedBytes, MAX_FILE_BYTES } from "../format/size.ts";
import { type EntryName, pathBelow, shownName, isPassedOver } from "../format/entry_name.ts";
import { Few } from "../../core/bounded_list.ts";
import { type Tick, type Entry, entryAt, type Excludes, walkTree } from "./walk_tree.ts";

/** What a directory holds, in numbers. */
export interface Survey {
  entries: number;
  /** How many of them are directories. */
  directories: number;
  /** Of regular files. */
  bytes: number;
  /** Of the names of all. */
  nameBytes: number;
  /** What they take in an archive at most. */
  archivedBytes: number;
  /** Some of the sockets, pipes and devices, which no archive can hold. */
  special: string[];
  /** Some of the files that are too big for an archive. */
  tooBig: string[];
  /** Some of the files that this user may not read. */
  unreadable: string[];
  /** Some of what has a time that no archive can hold. */
  badTimes: string[];
  /** What the stock program would not extract from the archive. */
  passedOver: Few;
  /** How many files have a second name. */
  linked: number;
  /** How many things lie there that are no part of the states. */
  excluded: number;
}

/** Nanoseconds since 1970 are an integer of 64 bits in an archive: the years 1677 to 2262. */
const isArchivableTime = (mtimeNs: bigint): boolean => BigInt.asIntN(64, mtimeNs) === mtimeNs;

/** How many offending names are kept. */
const NAMES = 20;

/** Goes through a directory once, counts what it holds, and hands over every entry. */
export async function survey(
  root: string,
  excludes: Excludes,
  tick: Tick,
  take: (entry: Entry) => unknown = () => undefined,
): Promise<Survey> {
  const found: Survey = {
    entries: 0,
    directories: 0,
    bytes: 0,
    nameBytes: 0,
    archivedBytes: 0,
    special: [],
    tooBig: [],
    unreadable: [],
    badTimes: [],
    passedOver: new Few(),
    linked: 0,
    excluded: 0,
  };
  const directory = entryAt(root, "");
  if (directory !== undefined && !isArchivableTime(directory.mtimeNs)) found.badTimes.push(root);
  for (const { name, kind, excluded } of walkTree(root, excludes)) {
    if (excluded) found.excluded += 1;
    else if (kind === "special") keepName(found.special, name);
    else {
      const entry = entryAt(root, name);
      // Gone since it was listed, as the temporary file of a writer is.
      if (entry === undefined) continue;
      found.entries += 1;
      found.nameBytes += name.length;
      found.archivedBytes += archivedBytes(entry);
      if (isPassedOver(name)) found.passedOver.add(shownName(name));
      if (entry.kind === "directory") found.directories += 1;
      if (entry.kind === "file") look(root, entry, found);
      if (entry.kind === "file" && (entry.names ?? 1) > 1) found.linked += 1;
      if (isArchivableTime(entry.mtimeNs)) take(entry);
      else keepName(found.badTimes, name);
      if (found.entries % 1000 === 0) await tick(found.entries);
    }
  }
  return found;
}

function look(root: string, entry: Entry, found: Survey): void {
  found.bytes += entry.size;
  if (entry.size > MAX_FILE_BYTES) keepName(found.tooBig, entry.name);
  // To ask the system about every file would take as long as to read them; where everybody may read, there is no doubt.
  if ((entry.mode & 0o444) !== 0o444 && !isReadable(root, entry)) keepName(found.unreadable, entry.name);
}

function isReadable(root: string, { name, mode, uid }: Entry): boolean {
  if (uid === process.geteuid?.() && (mode & 0o400) !== 0) return true;
  try {
    accessSync(pathBelow(root, name), constants.R_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EACCES";
  }
}

function keepName(names: string[], name: EntryName): void {
  if (names.length < NAMES) names.push(shownName(name));
}

/** @throws Stop for what no archive can hold, and for what cannot be read. */
export function assertArchivable({ special, tooBig, unreadable, badTimes }: Survey): void {
  if (unreadable.length > 0)
    throw new Stop(
      "refused",
      `You may not read: ${unreadable.join(", ")}. Run as a user who may, or change the modes.`,
    );
  if (special.length > 0)
    throw new Stop(
      "refused",
      `No archive can hold what is neither a file, a directory nor a link: ${special.join(", ")}. Move it elsewhere first.`,
    );
  if (tooBig.length > 0)
    throw new Stop(
      "refused",
      `An archive holds files of up to ${MAX_FILE_BYTES} bytes; bigger: ${tooBig.join(", ")}. Move it elsewhere first.`,
    );
  if (badTimes.length > 0)
    throw new Stop(
      "refused",
      `An archive holds times from 1677 to 2262; changed at another time: ${badTimes.join(", ")}. Give it another time first, with: touch.`,
    );
}
