import { existsSync } from "node:fs";
import { FileNotFoundError, ClosedError } from "../errors/errors.ts";
import { hasTable } from "../sqlite/catalog.ts";
import { type Database, openDatabase } from "../sqlite/open_database.ts";
import { assertNoMore } from "../text/options.ts";
import { assertLibraryLoadOptions, type LibraryLoadOptions } from "./invalid_patterns.ts";
import { rememberUse } from "./known_use.ts";
import type { PatternLibrary } from "./library.ts";
import { loadLibrary, loadLibraryFromSqlite } from "./sqlite_load.ts";
import type { PatternStore } from "./pattern_store.ts";
import type { SaveResult, SaveToSqliteOptions } from "./save_result.ts";
import { saveLibrary, saveLibraryToSqlite } from "./sqlite_save.ts";
import { deleteUsage, deleteUsageFromSqlite } from "./sqlite_usage_deletion.ts";
import { checkedUsageDeletion, type DeletedUsage, type DeleteUsageOptions } from "./usage_deletion.ts";

/** A pattern store in a database file, or in memory. */
export class SqlitePatternStore implements PatternStore {
  readonly #path: string;
  readonly #memory: Database | undefined;
  #closed = false;

  /** @param path A database file, or undefined to keep everything in memory. */
  constructor(path: string | undefined) {
    this.#path = path ?? ":memory:";
    this.#memory = path === undefined ? openDatabase(":memory:", { intent: "record" }) : undefined;
  }

  save(library: PatternLibrary, options?: SaveToSqliteOptions): SaveResult {
    assertNoMore("save", arguments, 2);
    this.#assertOpen();
    return this.#memory === undefined
      ? saveLibraryToSqlite(library, this.#path, options)
      : saveLibrary(this.#memory, library, this.#path, options);
  }

  load(options?: LibraryLoadOptions): PatternLibrary {
    assertNoMore("load", arguments, 1);
    this.#assertOpen();
    if (this.#memory === undefined) return loadLibraryFromSqlite(this.#path, options);
    assertLibraryLoadOptions(options);
    if (!hasTable(this.#memory, "patterns")) throw new FileNotFoundError("No pattern library was saved in memory yet.");
    const library = loadLibrary(this.#memory, this.#path);
    rememberUse(library, this.#memory);
    return library;
  }

  deleteUsage(options: DeleteUsageOptions): DeletedUsage {
    assertNoMore("deleteUsage", arguments, 1);
    this.#assertOpen();
    const asked = checkedUsageDeletion(options);
    if (this.#memory !== undefined) return deleteUsage(this.#memory, asked);
    return existsSync(this.#path) ? deleteUsageFromSqlite(this.#path, asked) : { usageRows: 0, patterns: 0 };
  }

  close(): void {
    this.#closed = true;
    this.#memory?.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw new ClosedError(`The pattern store of ${this.#path} was closed.`);
  }
}
