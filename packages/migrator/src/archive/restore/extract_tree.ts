import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, symlinkSync, writeSync } from "node:fs";
import { giveLink, setMode } from "@perdura/internals/files/access.js";
import { dropInheritedAcl, giveAccess } from "@perdura/internals/files/acl.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { quote } from "@perdura/internals/text/describe.js";
import { Stop } from "../../core/stop.ts";
import { archivedEntries, type ArchivedEntry, unpacked } from "../format/archived_entries.ts";
import { type EntryName, parentOf, pathBelow, shownName } from "../tree/entry_name.ts";
import { safetyCheck } from "../read/check_archive.ts";
import { ModificationTimes } from "../tree/modification_times.ts";
import { assertDistinctName, indistinctNames } from "../read/indistinct_names.ts";
import type { Entry, Tick } from "../tree/walk_tree.ts";

/** Entries of an archive to write, and how. */
interface Extraction extends RestoredMetadata {
  /** The archived directory itself, if the target gets its times and mode. */
  directory?: Entry | undefined;
  /** Selects entries; all by default. Their parent directories are made as well. */
  wanted?: (entry: ArchivedEntry) => boolean;
  tick: Tick;
}

/** Result of an extraction. */
export interface Extracted {
  entries: number;
  /** Number of times that could not be set to the nanosecond. */
  inexactTimes: number;
}

/**
 * Writes entries of an archive into an empty directory: contents and links, then times, modes and owners, directories
 * last. All of it is synced. Every content is compared with its checksum before it is written.
 *
 * @throws Stop for an entry outside of the directory, and for a content that does not match its checksum.
 */
export async function extractTree(archive: Database, into: string, extraction: Extraction): Promise<Extracted> {
  const { directory } = extraction;
  const times = new ModificationTimes();
  const pathOf = ({ name }: ArchivedEntry): string | Buffer => pathBelow(into, name);
  const entries = await writeAll(archive, into, extraction, times);
  await times.settle();
  // Later passes do not count the entries again, but still handle a request to stop.
  const laterPass: Extraction = { ...extraction, tick: () => extraction.tick(entries) };
  const isEachSynced = !(await canSyncFileSystems());
  await each(archive, "contents", laterPass, (entry) => setAccess(pathOf(entry), entry, extraction, isEachSynced));
  // Later work in a directory would change its time, and its mode could forbid that work.
  await each(archive, "directories", laterPass, (entry) => times.set(pathOf(entry), entry));
  if (directory !== undefined) await times.set(into, directory);
  const inexactTimes = await times.settle();
  await each(archive, "directories", laterPass, (entry) => setAccess(pathOf(entry), entry, extraction, isEachSynced));
  if (directory !== undefined) setAccess(into, directory, extraction, isEachSynced);
  if (!isEachSynced && !(await syncFileSystem(into))) {
    // Ctrl-C on a terminal also ends `sync`; then the tick throws, and that is the reason to report.
    await laterPass.tick(entries);
    throw new Stop("failed", "Syncing the written files to disk failed.");
  }
  return { entries, inexactTimes };
}

/** Writes the selected entries, readable by this user only, and sets the times of all but directories. */
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
      // The target was empty, and the names in an archive are unique.
      throw indistinctNames(archive, into, entry.name);
    }
    if (entry.kind === "directory") assertDistinctName(archive, into, entry.name);
    if (entry.kind !== "directory") await times.set(pathBelow(into, entry.name), entry);
    entries += 1;
    if (entries % 1000 === 0) await tick(entries);
  }
  return entries;
}

/** Visits the written entries again; the entries of a directory precede the directory. */
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
    `The archive is damaged: ${quote(shownName(entry.name))} does not match its checksum. Nothing was written.`,
  );
}

function unpackedOrNull(entry: ArchivedEntry): Buffer | null {
  try {
    return unpacked(entry);
  } catch {
    return null;
  }
}

/** Private until its mode is set. */
function writeFile(path: string | Buffer, content: Buffer): void {
  const descriptor = openSync(path, "wx", 0o600);
  try {
    for (let done = 0; done < content.length;) done += writeSync(descriptor, content, done);
  } finally {
    closeSync(descriptor);
  }
}

/** Metadata that written entries get from the archive. */
interface RestoredMetadata {
  /**
   * True for an archive of this very directory: owners and groups are set if this user may do so, and files keep their
   * set-user-id and set-group-id bits. An archive of unknown origin must not have that.
   */
  trusted: boolean;
}

const SET_IDS = 0o6000;

/**
 * Sets owner and mode of an entry that is otherwise complete; content and time do not change.
 *
 * @param sync Also sync it now. The mode may forbid that later.
 */
function setAccess(path: string | Buffer, entry: Entry, { trusted }: RestoredMetadata, sync: boolean): void {
  if (entry.kind === "link") {
    // A link has no mode of its own, and is synced with its directory.
    if (trusted) giveLink(path, entry);
    return;
  }
  if (entry.kind === "directory" && process.platform === "win32") return;
  // Windows can sync only files that are open for writing.
  const descriptor = openSync(path, process.platform === "win32" ? "r+" : "r");
  try {
    if (trusted) giveAccess(path, descriptor, entry);
    else {
      const mode = dropInheritedAcl(path, descriptor, entry.mode);
      setMode(descriptor, mode & (entry.kind === "directory" ? 0o7777 : ~SET_IDS));
    }
    if (sync) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Syncs the whole file system of a directory in one call: for thousands of files this is much faster than syncing each
 * of them.
 *
 * @returns False if it failed.
 */
function syncFileSystem(directory: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn("sync", ["-f", directory], { stdio: "ignore" });
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code === 0));
  });
}

/** True if {@link syncFileSystem} works. On other systems `sync` takes no directory, or does not wait. */
async function canSyncFileSystems(): Promise<boolean> {
  // Nothing is ever written to this file system, so the call is cheap.
  return process.platform === "linux" && syncFileSystem("/proc");
}
