import type { LibraryLoadOptions } from "./invalid_patterns.ts";
import type { PatternLibrary } from "./library.ts";
import type { SaveResult, SaveToSqliteOptions } from "./save_result.ts";

/** The place of a program's pattern library. */
export interface PatternStore {
  /** Saves as `PatternPersistence.saveToSqlite` does. */
  save(library: PatternLibrary, options?: SaveToSqliteOptions): SaveResult;
  /**
   * Loads what was saved, as `PatternPersistence.loadFromSqlite` does.
   *
   * @throws FileNotFoundError when nothing was saved yet.
   */
  load(options?: LibraryLoadOptions): PatternLibrary;
  /** Frees what the store holds. */
  close(): void;
}
