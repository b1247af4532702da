import type { LibraryLoadOptions } from "./invalid_patterns.ts";
import type { PatternLibrary } from "./library.ts";
import type { SaveResult, SaveToSqliteOptions } from "./save_result.ts";
import type { DeletedUsage, DeleteUsageOptions } from "./usage_deletion.ts";

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
  /** Deletes uses as `PatternPersistence.deleteUsage` does; none if no library was saved yet. */
  deleteUsage(options: DeleteUsageOptions): DeletedUsage;
  /** Frees the resources of the store. */
  close(): void;
}
