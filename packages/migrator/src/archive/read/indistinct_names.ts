import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { hasExactName, hasOtherSpelling, entryExists } from "@perdura/internals/files/exact_names.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { quote } from "@perdura/internals/text/describe.js";
import { BoundedList } from "../../core/bounded_list.ts";
import { Stop } from "../../core/stop.ts";
import { entriesIn } from "../../io/entries.ts";
import { archivedEntries } from "../format/archived_entries.ts";
import { type EntryName, listedName, nameFromBytes, parentOf, pathBelow, shownName } from "../tree/entry_name.ts";

/**
 * Distinguishes entries of an archive from those of a directory whose names differ only in case or in Unicode
 * composition, and which a file system treats as equal.
 */
export class ListedNames {
  readonly #root: string;
  /** Names of the last directory: entries are sorted, so consecutive ones are often in the same directory. */
  #last: { parent: EntryName; names: ReadonlySet<EntryName> } | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** True if the listing of its directory has exactly this name. */
  has(name: EntryName): boolean {
    if (!hasOtherSpelling(`${this.#root}/${listedName(name)}`)) return true;
    const parent = parentOf(name);
    if (this.#last?.parent !== parent) this.#last = { parent, names: new Set(this.#list(parent)) };
    return this.#last.names.has(name.slice(parent === "" ? 0 : parent.length + 1));
  }

  #list(parent: EntryName): EntryName[] {
    const directory = parent === "" ? this.#root : pathBelow(this.#root, parent);
    return readdirSync(directory, { encoding: "buffer" }).map(nameFromBytes);
  }
}

/** True if other spellings of the names in a directory also lead to a file. */
export function mayConfuseNames(directory: string): boolean {
  let distinguishesCase = false;
  for (const { name } of entriesIn(directory)) {
    const path = `${directory}/${name}`;
    const isAscii = /^[\0-\x7f]*$/.test(name);
    // One name decides for all ASCII names; beyond ASCII, file systems differ in the letters that they fold.
    if (isAscii && (distinguishesCase || !/[a-z]/i.test(name))) continue;
    if (hasOtherSpelling(path)) return true;
    // A file that was removed in the meantime proves nothing.
    if (isAscii) distinguishesCase = entryExists(path);
  }
  return false;
}

/** Maximum number of pairs of names in an error. */
const NAMED = 5;

/** A file system cannot hold two entries of an archive next to each other. */
export class IndistinctNames extends Stop {}

/**
 * Asserts that a directory that was just made from an archive is not an existing one with another name.
 *
 * @throws IndistinctNames
 */
export function assertDistinctName(archive: Database, into: string, name: EntryName): void {
  if (!hasExactName(`${into}/${listedName(name)}`)) throw indistinctNames(archive, into, name);
}

/** An error with the entries of an archive that a file system cannot hold next to each other. */
export function indistinctNames(archive: Database, into: string, met: EntryName): IndistinctNames {
  const pairs = new BoundedList();
  const seen = new Map<string, EntryName>();
  for (const { name } of archivedEntries(archive, false)) {
    const folded = foldedName(name);
    const other = seen.get(folded);
    if (other === undefined) seen.set(folded, name);
    else pairs.add(`${quote(shownName(other))} and ${quote(shownName(name))}`);
  }
  // Some file systems fold letters that JavaScript does not.
  if (pairs.count === 0) pairs.add(`${quote(shownName(met))} and another name`);
  const more = pairs.count > NAMED ? `, and ${pairs.count - NAMED} more` : "";
  return new IndistinctNames(
    "refused",
    `The file system of ${dirname(into)} does not distinguish names that differ only in case or in Unicode normalization. The archive has ${pairs.named.slice(0, NAMED).join(", ")}${more}. Nothing was written. Use a file system that distinguishes these names.`,
  );
}

function foldedName(name: EntryName): string {
  return listedName(name).normalize("NFD").toUpperCase().toLowerCase().normalize("NFD");
}
