import type { Database, Statement } from "@perdura/internals/sqlite/open_database.js";
import { boundName, type EntryName, parentOf } from "./entry_name.ts";
import { ListedNames } from "./names_taken_for_one.ts";
import { openArchive } from "./open_archive.ts";
import { entryAt, type Kind } from "./walk_tree.ts";

/** How it stands with an archived entry. */
export type Standing =
  /** Something of its name lies in the directory. */
  | "there"
  /** A newer archive has something of its name. */
  | "newer"
  /** Something lies in the directory that the file system finds under its name, and that has another one. */
  | "taken"
  /** What it lies in is no directory any more. */
  | "homeless"
  /** It can come back. */
  | "missing";

/** What a directory lacks of everything that its archives have; of each name the newest archive that has it counts. */
export class Gaps {
  /** Newest first. */
  readonly archives: readonly Database[];
  readonly #root: string;
  readonly #kinds: readonly Statement[];
  readonly #listed: ListedNames;
  /** The last answer: entries come sorted, so many in a row lie in the same directory. */
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
   * Opens the archives of a directory, newest first. They have to be closed.
   *
   * @throws Stop when one is none that perdura-migrate made.
   */
  static of(root: string, paths: readonly string[]): Gaps {
    const archives: Database[] = [];
    try {
      for (const path of paths) archives.push(openArchive(path));
      return new Gaps(root, archives);
    } catch (error) {
      for (const archive of archives) archive.close();
      throw error;
    }
  }

  /** @param index The archive that the entry is in. */
  standingOf(index: number, name: EntryName): Standing {
    for (const kinds of this.#kinds.slice(0, index)) if (kinds.get(boundName(name)) !== undefined) return "newer";
    if (!this.#hasHome(name)) return "homeless";
    if (entryAt(this.#root, name) === undefined) return "missing";
    return this.#listed.has(name) ? "there" : "taken";
  }

  /** True when everything above is a directory, or will be one when it has come back. */
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
