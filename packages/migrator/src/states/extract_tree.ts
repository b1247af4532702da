import { hash } from "node:crypto";
import { closeSync, mkdirSync, openSync, symlinkSync, writeSync } from "node:fs";
import { quote } from "@perdura/internals/text/describe.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../core/stop.ts";
import { type ArchivedEntry, archivedEntries, unpacked } from "./archived_entries.ts";
import { type EntryName, parentOf, pathBelow, shownName } from "./entry_name.ts";
import { ModificationTimes } from "./modification_times.ts";
import { assertOwnName, takenForOne } from "./names_taken_for_one.ts";
import { safetyCheck } from "./safe_entries.ts";
import { type Likeness, seal } from "./seal_entry.ts";
import { canSyncFileSystems, syncFileSystem } from "./sync_file_system.ts";
import type { Tick } from "./ticks.ts";
import type { Entry } from "./walk_tree.ts";

/** What of an archive is written, and how. */
export interface Extraction extends Likeness {
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
