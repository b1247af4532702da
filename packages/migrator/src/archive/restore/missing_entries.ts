import { countText } from "@perdura/cli/quantities.js";
import type { Database, Statement } from "@perdura/internals/sqlite/open_database.js";
import { BoundedList } from "../../core/bounded_list.ts";
import type { StateDirectoryReport } from "../../core/report.ts";
import { Stop } from "../../core/stop.ts";
import { archivedEntries } from "../format/archived_entries.ts";
import { boundName, type EntryName, parentOf, shownName } from "../tree/entry_name.ts";
import { openArchive, tableFault } from "../format/open_archive.ts";
import { countThere } from "../read/compare_archive.ts";
import { faultOf, hasOtherAccess, noteOtherAccess, currentEntry } from "../read/compare_entries.ts";
import { FileReader } from "../tree/read_file.ts";
import { ListedNames } from "../read/indistinct_names.ts";
import { entryAt, type Excludes, type Kind, type Tick } from "../tree/walk_tree.ts";

/** Archived entries that a directory lacks. */
export interface Missing {
  /** Path of the archive. */
  archive: string;
  /** Number of entries to restore. */
  count: number;
  /** True if all existing entries equal those in the archive. */
  isUntouched: boolean;
}

/**
 * Compares a directory, which may be missing, with its archive. Existing entries are newer than archived ones: they
 * stay, and the notes of the report list them.
 */
export async function findMissing(
  report: StateDirectoryReport,
  archive: string,
  excludes: Excludes,
  tick: Tick,
): Promise<Missing> {
  const root = report.path;
  const gaps = new MissingEntries(root, archive);
  try {
    const tables = tableFault(gaps.archive);
    // Inconsistent tables cannot be joined.
    if (tables !== undefined) throw damaged(archive, tables);
    const isThere = entryAt(root, "") !== undefined;
    const reader = new FileReader();
    const [changed, otherAccess, homeless, taken] = [
      new BoundedList(),
      new BoundedList(),
      new BoundedList(),
      new BoundedList(),
    ];
    const count = { done: 0, there: 0, missing: 0 };
    for (const archived of archivedEntries(gaps.archive, isThere)) {
      count.done += 1;
      if (count.done % 1000 === 0) await tick(count.done);
      const relation = gaps.relationOf(archived.name);
      if (relation === "missing") count.missing += 1;
      if (relation === "taken") taken.add(shownName(archived.name));
      if (relation === "homeless") homeless.add(shownName(archived.name));
      // Entries that are excluded now exist as well, but are not compared.
      const entry = relation === "there" ? currentEntry(root, archived, excludes) : undefined;
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
    return {
      archive,
      count: isThere ? count.missing : Math.max(1, count.missing),
      isUntouched: changed.count + extra + homeless.count + taken.count === 0,
    };
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
  /** The file system finds an entry of another spelling under its name. */
  | "taken"
  /** Its parent is no longer a directory. */
  | "homeless"
  /** It can be restored. */
  | "missing";

/** Archived entries that a directory lacks. */
export class MissingEntries {
  readonly archive: Database;
  readonly #root: string;
  readonly #kinds: Statement;
  readonly #listed: ListedNames;
  /** The last answer: entries are sorted, so consecutive ones are often in the same directory. */
  #home: { parent: EntryName; isHome: boolean } = { parent: "", isHome: true };

  /**
   * Opens the archive of a directory. The caller closes it.
   *
   * @throws Stop if perdura-migrate did not make it.
   */
  constructor(root: string, path: string) {
    this.#root = root;
    this.archive = openArchive(path);
    this.#listed = new ListedNames(root);
    this.#kinds = this.archive.prepare("SELECT kind FROM entries WHERE name = CAST(? AS TEXT)").pluck();
  }

  relationOf(name: EntryName): EntryRelation {
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
    return entryAt(this.#root, name)?.kind ?? (this.#kinds.get(boundName(name)) as Kind | undefined);
  }

  close(): void {
    this.archive.close();
  }
}
