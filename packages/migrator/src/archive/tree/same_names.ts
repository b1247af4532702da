import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { hasExactName, hasOtherSpelling } from "@perdura/internals/files/exact_names.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { quote } from "@perdura/internals/text/describe.js";
import { BoundedList } from "../../core/bounded_list.ts";
import { Stop } from "../../core/stop.ts";
import { entriesIn } from "../../io/entries.ts";
import { archivedEntries } from "../format/archived_entries.ts";
import { type EntryName, nameFromBytes, parentOf, pathBelow, shownName } from "../format/entry_name.ts";

/**
 * Tells entries of an archive from those of a directory whose names differ only in case or in how Unicode is composed, and
 * that a file system takes for the same.
 */
export class ListedNames {
  readonly #root: string;
  /** Of the last directory: entries come sorted, so many in a row lie in the same one. */
  #last: { parent: EntryName; names: ReadonlySet<EntryName> } | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** True if what lies under a name has exactly that name in the listing of its directory. */
  has(name: EntryName): boolean {
    if (!hasOtherSpelling(`${this.#root}/${shownName(name)}`)) return true;
    const parent = parentOf(name);
    if (this.#last?.parent !== parent) this.#last = { parent, names: new Set(this.#list(parent)) };
    return this.#last.names.has(name.slice(parent === "" ? 0 : parent.length + 1));
  }

  #list(parent: EntryName): EntryName[] {
    const directory = parent === "" ? this.#root : pathBelow(this.#root, parent);
    return readdirSync(directory, { encoding: "buffer" }).map(nameFromBytes);
  }
}

/** True if other spellings of the names in a directory lead to something as well. */
export function mayTakeForOne(directory: string): boolean {
  for (const { name } of entriesIn(directory)) if (hasOtherSpelling(`${directory}/${name}`)) return true;
  return false;
}

/** How many pairs of names an error tells. */
const NAMED = 5;

/** Stops where a file system cannot hold two entries of an archive side by side. */
export class NamesTakenForOne extends Stop {}

/**
 * Makes sure that a directory which was just made from an archive is not one that was there under another name.
 *
 * @throws NamesTakenForOne
 */
export function assertOwnName(archive: Database, into: string, name: EntryName): void {
  if (!hasExactName(`${into}/${shownName(name)}`)) throw takenForOne(archive, into, name);
}

/** Names the entries of an archive that a file system cannot hold side by side. */
export function takenForOne(archive: Database, into: string, met: EntryName): NamesTakenForOne {
  const pairs = new BoundedList();
  const seen = new Map<string, EntryName>();
  for (const { name } of archivedEntries(archive, false)) {
    const folded = foldedName(name);
    const other = seen.get(folded);
    if (other === undefined) seen.set(folded, name);
    else pairs.add(`${quote(shownName(other))} and ${quote(shownName(name))}`);
  }
  // File systems fold some letters that no other does.
  if (pairs.count === 0) pairs.add(`${quote(shownName(met))} and another`);
  const more = pairs.count > NAMED ? `, and ${pairs.count - NAMED} more` : "";
  return new NamesTakenForOne(
    "refused",
    `The file system of ${dirname(into)} takes names that differ only in case, or in how Unicode is composed, for one. The archive has ${pairs.named.slice(0, NAMED).join(", ")}${more}. Nothing of it was written. Use a file system that tells such names apart.`,
  );
}

function foldedName(name: EntryName): string {
  return shownName(name).normalize("NFD").toUpperCase().toLowerCase().normalize("NFD");
}
