import type { StateDirectoryReport } from "../report/report.ts";
import { archivedEntries } from "./archived_entries.ts";
import { countThere } from "./compare_archive.ts";
import { there } from "./compare_entries.ts";
import { shownName } from "./entry_name.ts";
import { faultOf } from "./fault.ts";
import { Few } from "./few.ts";
import { openArchive } from "./open_archive.ts";
import { FileReader } from "./read_file.ts";
import type { Tick } from "./ticks.ts";
import { entryAt, type Excludes } from "./walk_tree.ts";

/**
 * Compares a directory that is there with its archive. What is in the directory is the newer state: it stays, and the
 * notes of the report say so.
 *
 * @returns How many archived entries are not in the directory.
 */
export async function findMissing(
  report: StateDirectoryReport,
  path: string,
  excludes: Excludes,
  tick: Tick,
): Promise<number> {
  const archive = openArchive(path);
  try {
    const root = report.path;
    const reader = new FileReader();
    const changed = new Few();
    const count = { done: 0, missing: 0 };
    for (const archived of archivedEntries(archive, true)) {
      const entry = there(root, archived, excludes);
      const fault = entry === undefined ? undefined : faultOf(archived, entry, root, {}, reader);
      if (fault !== undefined) changed.add(`${shownName(archived.name)} ${fault}`);
      // What is excluded now lies there all the same.
      if (entryAt(root, archived.name) === undefined) count.missing += 1;
      count.done += 1;
      if (count.done % 1000 === 0) await tick(count.done);
    }
    const extra = countThere(root, excludes) - (count.done - count.missing);
    if (changed.count > 0)
      report.notes.push(`changed since it was archived, and stays as it is: ${changed.list().join(", ")}`);
    if (extra > 0) report.notes.push(`${extra} entries that came since are not in the archive, and stay`);
    return count.missing;
  } finally {
    archive.close();
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
