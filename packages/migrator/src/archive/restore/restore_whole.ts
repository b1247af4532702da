import { lstatSync, mkdirSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory } from "@perdura/internals/files/sync_directory.js";
import type { StateDirectoryReport } from "../../core/report.ts";
import { Stop } from "../../core/stop.ts";
import { archivedDirectory } from "../format/archived_entries.ts";
import { compareArchive } from "../read/compare_archive.ts";
import { extractTree, type Extracted } from "./extract_tree.ts";
import { Few } from "../../core/bounded_list.ts";
import { openArchive } from "../format/open_archive.ts";
import { noteOtherAccess } from "../read/compare_entries.ts";
import { removeTree } from "../tree/remove_tree.ts";
import { temporaryDirectory } from "../format/archive_place.ts";
import type { Tick } from "../tree/walk_tree.ts";

/** What a time may be off where the system cannot set it exactly: seconds as a double have this room. */
const INEXACT_NS = 1000n;

/**
 * Brings back a directory that is gone: written into a temporary one beside it, compared with the archive, synced, and
 * only then given its name. Whatever happens, it is wholly there or not at all.
 */
export async function restoreWhole(report: StateDirectoryReport, path: string, tick: Tick): Promise<void> {
  const directory = report.path;
  const place = dirname(directory);
  const temporary = temporaryDirectory("restoring", directory);
  const archive = openArchive(path);
  try {
    mkdirSync(temporary, { mode: 0o700 });
    const extracted = await extractTree(archive, temporary, {
      trusted: true,
      directory: archivedDirectory(archive),
      tick,
    });
    await assertEqual(report, path, temporary, extracted, tick);
    if (lstatSync(directory, { throwIfNoEntry: false }) !== undefined)
      throw new Stop("in_use", "Another program made a directory of this name meanwhile. Run this command again.");
    renameSync(temporary, directory);
    syncDirectory(place);
    noteTimes(report, extracted);
    // An empty directory comes back as well.
    report.restored += Math.max(1, extracted.entries);
  } catch (error) {
    removeTree(temporary);
    throw error;
  } finally {
    archive.close();
  }
}

async function assertEqual(
  report: StateDirectoryReport,
  path: string,
  temporary: string,
  { inexactTimes }: Extracted,
  tick: Tick,
): Promise<void> {
  const otherAccess = new Few();
  const [difference] = await compareArchive(path, temporary, () => false, tick, {
    directoryTimes: true,
    otherAccess,
    timeNs: inexactTimes > 0 ? INEXACT_NS : 0n,
  });
  if (difference !== undefined)
    throw new Stop("failed", `What was written is not what the archive holds: ${difference}. Nothing was restored.`);
  // Not every user may give files away, and not every file system knows owners and modes.
  noteOtherAccess(report, otherAccess);
}

/** Says it where times are not exact to the nanosecond. */
export function noteTimes(report: StateDirectoryReport, { inexactTimes }: Extracted): void {
  if (inexactTimes > 0)
    report.notes.push(
      `${inexactTimes} times are exact to a microsecond only: there is no touch and xargs here that set them to the nanosecond`,
    );
}
