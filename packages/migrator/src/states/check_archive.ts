import { hash } from "node:crypto";
import { faultsOf } from "@perdura/internals/sqlite/faults.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { tableFault } from "./archive_tables.ts";
import { type ArchivedEntry, archivedCompanion, archivedEntries, countEntries, unpacked } from "./archived_entries.ts";
import { boundName, shownName } from "./entry_name.ts";
import { Few } from "../core/bounded_list.ts";
import { openArchive } from "./open_archive.ts";
import { danger } from "./safe_entries.ts";
import { readingOf } from "./reading.ts";
import { type Companion, isStateFile } from "./state_files.ts";
import type { Tick } from "./ticks.ts";

/**
 * Checks an archive against itself, with or without its directory: every entry could be written again, every content
 * has its checksum, and the table of states says what a fresh reading of the archived bytes says. Reasons are words of a version of this program, so of
 * them only the presence counts.
 *
 * @param directory The directory that was archived.
 */
export async function checkArchive(path: string, directory: string, tick: Tick): Promise<string[]> {
  const archive = openArchive(path);
  try {
    const differences = new Few();
    const fault = faultAtAll(archive);
    // Rows that do not belong together cannot be gone through.
    if (fault === undefined) await checkEntries(archive, directory, tick, differences);
    else differences.add(fault);
    return differences.list();
  } finally {
    archive.close();
  }
}

function faultAtAll(archive: Database): string | undefined {
  return faultsOf(archive, 1).length === 0 ? tableFault(archive) : "the archive is damaged";
}

async function checkEntries(archive: Database, directory: string, tick: Tick, differences: Few): Promise<void> {
  const total = countEntries(archive);
  const companion = archivedCompanion(archive);
  const state = archive
    .prepare(
      "SELECT CAST(user_id AS BLOB), trust_level, current_level, target_level, interaction_count, success_count, failure_count, last_interaction, created_at, extra, sha256, status, reason IS NULL FROM states WHERE file = CAST(? AS TEXT)",
    )
    .raw();
  const dangerOf = danger(archive);
  let done = 0;
  for (const entry of archivedEntries(archive, true)) {
    const why = dangerOf(entry);
    if (why !== undefined) differences.add(`${shownName(entry.name)} in the archive cannot be written again: ${why}`);
    const bytes = content(entry);
    if (bytes === undefined) differences.add(`${shownName(entry.name)} in the archive has not its checksum`);
    else if (bytes !== null && isStateFile(entry)) {
      const found = state.get(boundName(entry.name)) as unknown[] | undefined;
      if (found === undefined || !equal(found, expected(directory, entry, bytes, companion)))
        differences.add(`the row of ${shownName(entry.name)} in the table states is not what the file says`);
    }
    done += 1;
    if (done % 1000 === 0) await tick(done, total);
  }
  if (done % 1000 !== 0) await tick(done, total);
}

/** Undefined for a content that has not its checksum, or cannot be inflated. */
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
