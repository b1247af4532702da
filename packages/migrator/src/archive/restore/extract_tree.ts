import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, symlinkSync, writeSync } from "node:fs";
import { giveAccess, giveLink } from "@perdura/internals/files/access.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { quote } from "@perdura/internals/text/describe.js";
import { Stop } from "../../core/stop.ts";
import { archivedEntries, type ArchivedEntry, unpacked } from "../format/archived_entries.ts";
import { type EntryName, parentOf, pathBelow, shownName } from "../format/entry_name.ts";
import { safetyCheck } from "../read/check_archive.ts";
import { ModificationTimes } from "../tree/modification_times.ts";
import { assertOwnName, takenForOne } from "../tree/same_names.ts";
import type { Entry, Tick } from "../tree/walk_tree.ts";

/** What of an archive is written, and how. */
interface Extraction extends Likeness {
  /** The archived directory itself, where the directory is to become like it. */
  directory?: Entry | undefined;
  /** Which entries; all of them by default. What they lie in is made as well. */
  wanted?: (entry: ArchivedEntry) => boolean;
  tick: Tick;
}

/** What was written. */
export interface Extracted {
  entries: number;
  /** How many times could not be set to the nanosecond. */
  inexactTimes: number;
}

/**
 * Writes entries of an archive into an empty directory: contents, links, then times, modes and owners, directories last.
 * All of it is synced. Every content is compared with its checksum before it is written.
 *
 * @throws Stop for an entry that would be written elsewhere, and for a content that has not its checksum.
 */
export async function extractTree(archive: Database, into: string, extraction: Extraction): Promise<Extracted> {
  const { directory } = extraction;
  const times = new ModificationTimes();
  const pathOf = ({ name }: ArchivedEntry): string | Buffer => pathBelow(into, name);
  const entries = await writeAll(archive, into, extraction, times);
  await times.settle();
  // What is done once more is not counted once more; a request to stop arrives all the same.
  const again: Extraction = { ...extraction, tick: () => extraction.tick(entries) };
  const isEachSynced = !(await canSyncFileSystems());
  await each(archive, "contents", again, (entry) => seal(pathOf(entry), entry, extraction, isEachSynced));
  // What is done with the entries of a directory would change its time, and its mode could forbid it.
  await each(archive, "directories", again, (entry) => times.set(pathOf(entry), entry));
  if (directory !== undefined) await times.set(into, directory);
  const inexactTimes = await times.settle();
  await each(archive, "directories", again, (entry) => seal(pathOf(entry), entry, extraction, isEachSynced));
  if (directory !== undefined) seal(into, directory, extraction, isEachSynced);
  if (!isEachSynced && !(await syncFileSystem(into))) {
    // Ctrl-C on a terminal ends `sync` as well, and is the reason then.
    await again.tick(entries);
    throw new Stop("failed", "What was written could not be synced.");
  }
  return { entries, inexactTimes };
}

/** Writes what is wanted, private still, and sets the times of all but directories. */
async function writeAll(
  archive: Database,
  into: string,
  { wanted = () => true, tick }: Extraction,
  times: ModificationTimes,
): Promise<number> {
  const assertSafe = safetyCheck(archive);
  let parent: EntryName = "";
  let entries = 0;
  for (const entry of archivedEntries(archive, true)) {
    assertSafe(entry);
    if (!wanted(entry)) continue;
    const lies = parentOf(entry.name);
    if (lies !== parent) mkdirSync(pathBelow(into, lies), { recursive: true, mode: 0o700 });
    parent = lies;
    try {
      write(entry, pathBelow(into, entry.name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      // The directory was empty, and no two entries of an archive have one name.
      throw takenForOne(archive, into, entry.name);
    }
    if (entry.kind === "directory") assertOwnName(archive, into, entry.name);
    if (entry.kind !== "directory") await times.set(pathBelow(into, entry.name), entry);
    entries += 1;
    if (entries % 1000 === 0) await tick(entries);
  }
  return entries;
}

/** Goes through what was written once more; what lies in a directory comes before the directory. */
async function each(
  archive: Database,
  which: "contents" | "directories",
  { wanted = () => true, tick }: Extraction,
  work: (entry: ArchivedEntry) => void | Promise<void>,
): Promise<void> {
  let done = 0;
  for (const entry of archivedEntries(archive, false, { backwards: true })) {
    if ((entry.kind === "directory") !== (which === "directories") || !wanted(entry)) continue;
    await work(entry);
    done += 1;
    if (done % 1000 === 0) await tick(done);
  }
}

function write(entry: ArchivedEntry, path: string | Buffer): void {
  if (entry.kind === "directory") return void mkdirSync(path, { recursive: true, mode: 0o700 });
  const content = contentOf(entry);
  if (entry.kind === "link") symlinkSync(content, path);
  else writeFile(path, content);
}

function contentOf(entry: ArchivedEntry): Buffer {
  const content = unpackedOrNull(entry);
  if (content !== null && hash("sha256", content, "hex") === entry.sha256) return content;
  throw new Stop(
    "failed",
    `The archive is damaged: ${quote(shownName(entry.name))} has not its checksum. Nothing of it was written.`,
  );
}

function unpackedOrNull(entry: ArchivedEntry): Buffer | null {
  try {
    return unpacked(entry);
  } catch {
    return null;
  }
}

/** Nobody else may read it before it has its mode. */
function writeFile(path: string | Buffer, content: Buffer): void {
  const descriptor = openSync(path, "wx", 0o600);
  try {
    for (let done = 0; done < content.length;) done += writeSync(descriptor, content, done);
  } finally {
    closeSync(descriptor);
  }
}

/** How like the archived entries the written ones become. */
interface Likeness {
  /**
   * True for an archive that is known to be of this very directory: owners and groups are set where this user may, and files
   * keep the bits with which they run as their owner. An archive of whatever origin must not have that.
   */
  trusted: boolean;
}

const SET_IDS = 0o6000;

/**
 * Gives what is written its owner and mode. It has its content and its time; neither changes by that.
 *
 * @param sync Sync it as well. The mode may forbid to do that later.
 */
function seal(path: string | Buffer, entry: Entry, { trusted }: Likeness, sync: boolean): void {
  if (entry.kind === "link") {
    // A link has no mode of its own, and is synced with the directory that it lies in.
    if (trusted) giveLink(path, entry);
    return;
  }
  if (entry.kind === "directory" && process.platform === "win32") return;
  // Windows syncs only what is open for writing.
  const descriptor = openSync(path, process.platform === "win32" ? "r+" : "r");
  try {
    if (trusted) giveAccess(descriptor, entry);
    else fchmodSync(descriptor, entry.mode & 0o7777 & (entry.kind === "directory" ? 0o7777 : ~SET_IDS));
    if (sync) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Makes everything that was written to the file system of a directory survive a power cut, in one go: for thousands of
 * files that takes a small part of the time that syncing each of them does.
 *
 * @returns False when it did not succeed.
 */
function syncFileSystem(directory: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn("sync", ["-f", directory], { stdio: "ignore" });
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code === 0));
  });
}

/** True where {@link syncFileSystem} works. Elsewhere the program knows no directories, or does not wait. */
async function canSyncFileSystems(): Promise<boolean> {
  // A file system in which nothing is ever written: asking costs nothing.
  return process.platform === "linux" && syncFileSystem("/proc");
}
