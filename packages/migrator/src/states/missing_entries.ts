import type { StateDirectoryReport } from "../report/report.ts";
import { Stop } from "../stop.ts";
import { Gaps } from "./archive_gaps.ts";
import { tableFault } from "./archive_tables.ts";
import { archivedEntries } from "./archived_entries.ts";
import { countThere } from "./compare_archive.ts";
import { there } from "./compare_entries.ts";
import { shownName } from "./entry_name.ts";
import { faultOf } from "./fault.ts";
import { Few } from "./few.ts";
import { openArchive } from "./open_archive.ts";
import { hasOtherAccess, noteOtherAccess } from "./other_access.ts";
import { FileReader } from "./read_file.ts";
import type { Tick } from "./ticks.ts";
import { entryAt, type Excludes } from "./walk_tree.ts";
import { countText } from "@perdura/cli/quantities.js";

/** What a directory lacks of what was archived. */
export interface Missing {
  /** The archives, newest first. */
  archives: readonly string[];
  /** How many entries would come back from each of them. */
  counts: number[];
  /** What is there is as it was archived, in the newest archive. */
  isUntouched: boolean;
}

/**
 * Compares a directory with its archives, whether it is there or not. What is in the directory is the newer state: it
 * stays, and the notes of the report say so.
 *
 * @param archives Newest first.
 */
export async function findMissing(
  report: StateDirectoryReport,
  archives: readonly string[],
  excludes: Excludes,
  tick: Tick,
): Promise<Missing> {
  const root = report.path;
  const gaps = Gaps.of(root, archives);
  try {
    assertTables(gaps, archives);
    const isThere = entryAt(root, "") !== undefined;
    const reader = new FileReader();
    const [changed, otherAccess, homeless, taken] = [new Few(), new Few(), new Few(), new Few()];
    const count = { done: 0, there: 0, older: 0 };
    const counts = archives.map(() => 0);
    for (const [index, archive] of gaps.archives.entries())
      for (const archived of archivedEntries(archive, isThere)) {
        count.done += 1;
        if (count.done % 1000 === 0) await tick(count.done);
        const standing = gaps.standingOf(index, archived.name);
        if (standing === "newer") continue;
        if (index > 0) count.older += 1;
        if (standing === "missing") counts[index] = (counts[index] as number) + 1;
        if (standing === "taken") taken.add(shownName(archived.name));
        if (standing === "homeless") homeless.add(shownName(archived.name));
        // What is excluded now lies there all the same, and is not compared.
        const entry = standing === "there" ? there(root, archived, excludes) : undefined;
        if (entry === undefined) continue;
        count.there += 1;
        const fault = faultOf(archived, entry, root, {}, reader);
        if (fault !== undefined) changed.add(`${shownName(archived.name)} ${fault}`);
        else if (hasOtherAccess(archived, entry)) otherAccess.add(shownName(archived.name));
      }
    const extra = isThere ? countThere(root, excludes) - count.there : 0;
    if (changed.count > 0)
      report.notes.push(`changed since it was archived, and stays as it is: ${changed.list().join(", ")}`);
    noteOtherAccess(report, otherAccess);
    if (extra > 0)
      report.notes.push(
        `not in the archive, and staying as they are: ${countText(extra, "entry", "entries")} that came since`,
      );
    if (homeless.count > 0)
      report.notes.push(
        `not restored, because what they lay in is no directory any more: ${homeless.list().join(", ")}`,
      );
    if (taken.count > 0)
      report.notes.push(
        `not restored, because this file system takes their names for those of other files: ${taken.list().join(", ")}`,
      );
    // The directory itself comes back as well, also where nothing lay in it.
    if (!isThere) counts[0] = Math.max(1, counts[0] as number);
    return { archives, counts, isUntouched: changed.count + extra + homeless.count + taken.count + count.older === 0 };
  } finally {
    gaps.close();
  }
}

/** Why nothing comes back: of what the archive had nobody knows any more whether it is all. */
export function damaged(archive: string, fault: string): Stop {
  return new Stop(
    "refused",
    `The archive ${archive} is not as it was written: ${fault}. Nothing was restored. Move it elsewhere to go without it.`,
  );
}

/** What does not belong together cannot be gone through. */
function assertTables(gaps: Gaps, paths: readonly string[]): void {
  for (const [index, archive] of gaps.archives.entries()) {
    const fault = tableFault(archive);
    if (fault !== undefined) throw damaged(paths[index] as string, fault);
  }
}

/** How many bytes the file system needs at most for what an archive holds, a block for every entry. */
export function bytesOf(path: string): number {
  const archive = openArchive(path);
  try {
    return archive.prepare("SELECT ifnull(sum(sz), 0) + count(*) * 4096 FROM sqlar").pluck().get() as number;
  } finally {
    archive.close();
  }
}
