import { countText } from "@perdura/cli/quantities.js";
import type { Database, Statement } from "@perdura/internals/sqlite/open_database.js";
import { BoundedList } from "../../core/bounded_list.ts";
import type { StateDirectoryReport } from "../../core/report.ts";
import { Stop } from "../../core/stop.ts";
import { archivedEntries } from "../format/archived_entries.ts";
import { boundName, type EntryName, parentOf, shownName } from "../format/entry_name.ts";
import { openArchive, tableFault } from "../format/open_archive.ts";
import { countThere } from "../read/compare_archive.ts";
import { faultOf, hasOtherAccess, noteOtherAccess, currentEntry } from "../read/compare_entries.ts";
import { FileReader } from "../tree/read_file.ts";
import { ListedNames } from "../tree/indistinct_names.ts";
import { entryAt, type Excludes, type Kind, type Tick } from "../tree/walk_tree.ts";

/** Archived entries that a directory lacks. */
export interface Missing {
  /** Paths of the archives, newest first. */
  archives: readonly string[];
  /** Number of entries to restore from each of them. */
  counts: number[];
  /** True if all existing entries equal those in the newest archive. */
  isUntouched: boolean;
}

/**
 * Compares a directory, which may be missing, with its archives. Existing entries are newer than archived ones: they
 * stay, and the notes of the report list them.
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
  const gaps = MissingEntries.of(root, archives);
  try {
    assertTables(gaps, archives);
    const isThere = entryAt(root, "") !== undefined;
    const reader = new FileReader();
    const [changed, otherAccess, homeless, taken] = [
      new BoundedList(),
      new BoundedList(),
      new BoundedList(),
      new BoundedList(),
    ];
    const count = { done: 0, there: 0, older: 0 };
    const counts = archives.map(() => 0);
    for (const [index, archive] of gaps.archives.entries())
      for (const archived of archivedEntries(archive, isThere)) {
        count.done += 1;
        if (count.done % 1000 === 0) await tick(count.done);
        const standing = gaps.relationOf(index, archived.name);
        if (standing === "newer") continue;
        if (index > 0) count.older += 1;
        if (standing === "missing") counts[index] = (counts[index] as number) + 1;
        if (standing === "taken") taken.add(shownName(archived.name));
        if (standing === "homeless") homeless.add(shownName(archived.name));
        // Entries that are excluded now exist as well, but are not compared.
        const entry = standing === "there" ? currentEntry(root, archived, excludes) : undefined;
        if (entry === undefined) continue;
        count.there += 1;
        const fault = faultOf(archived, entry, root, {}, reader);
        if (fault !== undefined) changed.add(`${shownName(archived.name)} ${fault}`);
        else if (hasOtherAccess(archived, entry)) otherAccess.add(shownName(archived.name));
      }
    const extra = isThere ? countThere(root, excludes) - count.there : 0;
    if (changed.count > 0)
      report.notes.push(`changed since it was archived, and kept unchanged: ${changed.list().join(", ")}`);
    noteOtherAccess(report, otherAccess);
    if (extra > 0) report.notes.push(`not in the archive, and kept unchanged: ${countText(extra, "entry", "entries")}`);
    if (homeless.count > 0)
      report.notes.push(`not restored, because their parent is no longer a directory: ${homeless.list().join(", ")}`);
    if (taken.count > 0)
      report.notes.push(
        `not restored, because this file system does not distinguish their names from those of other files: ${taken.list().join(", ")}`,
      );
    // The directory itself is restored as well, even if it was empty.
    if (!isThere) counts[0] = Math.max(1, counts[0] as number);
    return { archives, counts, isUntouched: changed.count + extra + homeless.count + taken.count + count.older === 0 };
  } finally {
    gaps.close();
  }
}

/** The reason to restore nothing: a damaged archive may be incomplete. */
export function damaged(archive: string, fault: string): Stop {
  return new Stop(
    "refused",
    `The archive ${archive} is damaged: ${fault}. Nothing was restored. To continue without this archive, move it to another directory.`,
  );
}

/** Inconsistent tables cannot be joined. */
function assertTables(gaps: MissingEntries, paths: readonly string[]): void {
  for (const [index, archive] of gaps.archives.entries()) {
    const fault = tableFault(archive);
    if (fault !== undefined) throw damaged(paths[index] as string, fault);
  }
}

/** Maximum number of bytes that the file system needs for the content of an archive, with a block for every entry. */
export function bytesOf(path: string): number {
  const archive = openArchive(path);
  try {
    return archive.prepare("SELECT ifnull(sum(sz), 0) + count(*) * 4096 FROM sqlar").pluck().get() as number;
  } finally {
    archive.close();
  }
}

/** Relation of an archived entry to the directory. */
type EntryRelation =
  /** An entry of the directory has its name. */
  | "there"
  /** A newer archive has an entry of its name. */
  | "newer"
  /** The file system finds an entry of another spelling under its name. */
  | "taken"
  /** Its parent is no longer a directory. */
  | "homeless"
  /** It can be restored. */
  | "missing";

/** Archived entries that a directory lacks; for each name the newest archive with that name counts. */
export class MissingEntries {
  /** Newest first. */
  readonly archives: readonly Database[];
  readonly #root: string;
  readonly #kinds: readonly Statement[];
  readonly #listed: ListedNames;
  /** The last answer: entries are sorted, so consecutive ones are often in the same directory. */
  #home: { parent: EntryName; isHome: boolean } = { parent: "", isHome: true };

  private constructor(root: string, archives: readonly Database[]) {
    this.#root = root;
    this.archives = archives;
    this.#listed = new ListedNames(root);
    this.#kinds = archives.map((archive) =>
      archive.prepare("SELECT kind FROM entries WHERE name = CAST(? AS TEXT)").pluck(),
    );
  }

  /**
   * Opens the archives of a directory, newest first. The caller closes them.
   *
   * @throws Stop if perdura-migrate did not make one of them.
   */
  static of(root: string, paths: readonly string[]): MissingEntries {
    const archives: Database[] = [];
    try {
      for (const path of paths) archives.push(openArchive(path));
      return new MissingEntries(root, archives);
    } catch (error) {
      for (const archive of archives) archive.close();
      throw error;
    }
  }

  /** @param index The archive that the entry is in. */
  relationOf(index: number, name: EntryName): EntryRelation {
    for (const kinds of this.#kinds.slice(0, index)) if (kinds.get(boundName(name)) !== undefined) return "newer";
    if (!this.#hasHome(name)) return "homeless";
    if (entryAt(this.#root, name) === undefined) return "missing";
    return this.#listed.has(name) ? "there" : "taken";
  }

  /** True if every parent is a directory, or will be one after the restoration. */
  #hasHome(name: EntryName): boolean {
    const parent = parentOf(name);
    if (parent === "") return true;
    if (this.#home.parent !== parent)
      this.#home = { parent, isHome: this.#hasHome(parent) && this.#kindOf(parent) === "directory" };
    return this.#home.isHome;
  }

  #kindOf(name: EntryName): Kind | undefined {
    const bound = boundName(name);
    return entryAt(this.#root, name)?.kind ?? (this.#kinds.map((kinds) => kinds.get(bound)).find(Boolean) as Kind);
  }

  close(): void {
    for (const archive of this.archives) archive.close();
  }
}
