import { FileNotFoundError } from "../errors/errors.ts";
import { hasTable } from "../sqlite/catalog.ts";
import { type Database, openDatabase } from "../sqlite/open_database.ts";
import type { PatternLibrary } from "./library.ts";
import { loadLibrary, loadLibraryFromSqlite } from "./sqlite_load.ts";
import { type SaveResult, saveLibrary, saveLibraryToSqlite, type SaveToSqliteOptions } from "./sqlite_save.ts";

/** The place of a program's pattern library: a database file, or memory. */
export class PatternStore {
  readonly #path: string;
  readonly #memory: Database | undefined;

  /** @param path A database file, or undefined to keep everything in memory. */
  constructor(path: string | undefined) {
    this.#path = path ?? ":memory:";
    this.#memory = path === undefined ? openDatabase(":memory:", { access: "create" }) : undefined;
  }

  /** Saves as `PatternPersistence.saveToSqlite` does. */
  save(library: PatternLibrary, options?: SaveToSqliteOptions): SaveResult {
    return this.#memory === undefined
      ? saveLibraryToSqlite(library, this.#path, options)
      : saveLibrary(this.#memory, library, this.#path, options);
  }

  /**
   * Loads what was saved.
   *
   * @throws FileNotFoundError when nothing was saved yet.
   */
  load(): PatternLibrary {
    if (this.#memory === undefined) return loadLibraryFromSqlite(this.#path);
    if (!hasTable(this.#memory, "patterns")) throw new FileNotFoundError("No pattern library was saved in memory yet.");
    return loadLibrary(this.#memory, this.#path);
  }

  /** Frees the memory; a file needs no closing. */
  close(): void {
    this.#memory?.close();
  }
}
