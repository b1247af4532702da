import type { LibraryLoadOptions } from "./invalid_patterns.ts";
import type { PatternLibrary } from "./library.ts";
import type { SaveResult, SaveToSqliteOptions } from "./save_result.ts";

/** The pattern library of a program. */
export interface PatternStore {
  /** Saves as `PatternPersistence.saveToSqlite` does. */
  save(library: PatternLibrary, options?: SaveToSqliteOptions): SaveResult;
  /**
   * Loads the saved library, as `PatternPersistence.loadFromSqlite` does.
   *
   * @throws FileNotFoundError if no library was saved yet.
   */
  load(options?: LibraryLoadOptions): PatternLibrary;
  /** Frees the resources of the store. */
  close(): void;
}
