import { hash } from "node:crypto";
import { faultsOf } from "@perdura/internals/sqlite/faults.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { printable } from "@perdura/internals/terminal/printable.js";
import { quote } from "@perdura/internals/text/describe.js";
import { BoundedList } from "../../core/bounded_list.ts";
import { Stop } from "../../core/stop.ts";
import {
  archivedCompanion,
  archivedEntries,
  type ArchivedEntry,
  countEntries,
  unpacked,
} from "../format/archived_entries.ts";
import { boundName, type EntryName, isPossible, parentOf, shownName } from "../tree/entry_name.ts";
import { openArchive, tableFault } from "../format/open_archive.ts";
import { readingOf } from "../states/count_states.ts";
import { type Companion, isState } from "../format/state_file.ts";
import type { Tick } from "../tree/walk_tree.ts";

/**
 * Checks an archive without reading its directory: every entry can be written again, every content has its checksum,
 * and the table of states equals a fresh reading of the archived bytes. The text of a reason depends on the version of
 * this program, so only its presence is compared.
 *
 * @param directory The directory that was archived.
 */
export async function checkArchive(path: string, directory: string, tick: Tick): Promise<string[]> {
  const archive = openArchive(path);
  try {
    const differences = new BoundedList();
    const fault = structuralFault(archive);
    // Inconsistent tables cannot be joined.
    if (fault === undefined) await checkEntries(archive, directory, tick, differences);
    else differences.add(fault);
    return differences.list();
  } finally {
    archive.close();
  }
}

function structuralFault(archive: Database): string | undefined {
  return faultsOf(archive, 1).length === 0 ? tableFault(archive) : "the archive fails the integrity check of SQLite";
}

async function checkEntries(archive: Database, directory: string, tick: Tick, differences: BoundedList): Promise<void> {
  const total = countEntries(archive);
  const companion = archivedCompanion(archive);
  const state = archive
    .prepare(
      "SELECT CAST(user_id AS BLOB), trust_level, current_level, target_level, interaction_count, success_count, failure_count, last_interaction, created_at, extra, sha256, status, reason IS NULL FROM states WHERE file = CAST(? AS TEXT)",
    )
    .raw();
  const dangerOf = unsafetyCheck(archive);
  let done = 0;
  for (const entry of archivedEntries(archive, true)) {
    const why = dangerOf(entry);
    if (why !== undefined) differences.add(`${shownName(entry.name)} in the archive cannot be restored: ${why}`);
    const bytes = content(entry);
    if (bytes === undefined) differences.add(`${shownName(entry.name)} in the archive does not match its checksum`);
    else if (isState(entry, bytes)) {
      const found = state.get(boundName(entry.name)) as unknown[] | undefined;
      if (found === undefined || !equal(found, expected(directory, entry, bytes, companion)))
        differences.add(`the row of ${shownName(entry.name)} in the table states does not match the file`);
    }
    done += 1;
    if (done % 1000 === 0) await tick(done, total);
  }
  if (done % 1000 !== 0) await tick(done, total);
}

/** Returns undefined for a content that does not match its checksum, or cannot be inflated. */
function content(entry: ArchivedEntry): Buffer | null | undefined {
  try {
    const bytes = unpacked(entry);
    return (bytes === null ? null : hash("sha256", bytes, "hex")) === entry.sha256 ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function expected(directory: string, entry: ArchivedEntry, bytes: Buffer, companion: Companion): unknown[] {
  const { user, columns, extra, status, reason } = readingOf(directory, entry, bytes, companion);
  const bound = Buffer.from(user, "latin1");
  return [bound, ...Object.values(columns), extra, entry.sha256, status, reason === null ? 1 : 0];
}

function equal(found: readonly unknown[], wanted: readonly unknown[]): boolean {
  return wanted.every((value, index) => {
    const other = found[index];
    return Buffer.isBuffer(value) ? Buffer.isBuffer(other) && value.equals(other) : value === other;
  });
}

/** A name that leads out of the directory, or is empty. */
const UNSAFE = /(?:^|\/)\.{0,2}(?:$|\/)|\0/;

/** File type bits of the mode of each kind. */
const FORMATS: Readonly<Record<string, number>> = { file: 0o10, directory: 0o04, link: 0o12 };

/**
 * Makes a check that no entry of an archive, of any origin, is written outside of the target directory: every name
 * stays below it, and every parent is a directory of the archive, not a link.
 *
 * @returns A function that describes the fault of an entry, if any. For a link its content is needed.
 */
function unsafetyCheck(archive: Database): (entry: ArchivedEntry) => string | undefined {
  const isDirectory = archive
    .prepare("SELECT 1 FROM entries WHERE name = CAST(? AS TEXT) AND kind = 'directory'")
    .pluck();
  let parent: EntryName = "";
  return (entry) => {
    if (UNSAFE.test(entry.name)) return "its name is not a path below the directory";
    if (!isPossible(entry.name)) return "no file on Windows can have its name";
    const format = FORMATS[entry.kind];
    if (format === undefined || !Number.isInteger(entry.mode) || entry.mode >> 12 !== format)
      return `its mode is not that of a ${printable(String(entry.kind))}`;
    if (entry.kind === "link" && (entry.data === null || entry.data.length === 0 || entry.data.includes(0)))
      return "it is a link without a valid target";
    const lies = parentOf(entry.name);
    if (lies === parent) return undefined;
    if (lies !== "" && isDirectory.get(boundName(lies)) === undefined)
      return "its parent is not a directory in the archive";
    parent = lies;
    return undefined;
  };
}

/** Makes the same check as a function that throws Stop with the entry and its fault. */
export function safetyCheck(archive: Database): (entry: ArchivedEntry) => void {
  const dangerOf = unsafetyCheck(archive);
  return (entry) => {
    const why = dangerOf(entry);
    if (why === undefined) return;
    throw new Stop(
      "refused",
      `Cannot extract the entry ${quote(shownName(entry.name))}: ${why}. perdura-migrate creates no such entry on this system. Nothing was written.`,
    );
  };
}
