import { assertNoMore } from "../text/options.ts";
import { type FilePath, pathText } from "../files/places.ts";
import { loadLibraryFromJson } from "./json_load.ts";
import { saveLibraryToJson } from "./json_save.ts";
import type { LibraryLoadOptions } from "./invalid_patterns.ts";
import type { PatternLibrary } from "./library.ts";
import { loadLibraryFromSqlite } from "./sqlite_load.ts";
import type { SaveResult, SaveToJsonOptions, SaveToSqliteOptions } from "./save_result.ts";
import { saveLibraryToSqlite } from "./sqlite_save.ts";
import { deleteUsageFromSqlite } from "./sqlite_usage_deletion.ts";
import { checkedUsageDeletion, type DeletedUsage, type DeleteUsageOptions } from "./usage_deletion.ts";

/**
 * Saves and loads pattern libraries as JSON files and SQLite databases (specification, section 4.1). All methods are
 * static and synchronous. Both formats store the same patterns, so that a library can be moved from one to the other.
 *
 * @example
 * ```ts
 * const library = new PatternLibrary();
 * library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once" });
 * PatternPersistence.saveToSqlite(library, "patterns.db");
 * PatternPersistence.saveToJson(PatternPersistence.loadFromSqlite("patterns.db"), "patterns.json");
 * console.log(PatternPersistence.loadFromJson("patterns.json").size); // 1
 * ```
 */
export class PatternPersistence {
  /**
   * Writes the JSON file of section 2.4. An existing file is replaced atomically and durably.
   *
   * @param library The library to save.
   * @param filepath The file; its directory must exist.
   * @param options.dropInvalid Allows the save to replace the file from which the library was loaded with `onInvalid`;
   * the reported patterns are lost.
   * @param options.overwrite Allows the save to replace a file that another program has saved since the library was
   * loaded from it or saved to it; what that program saved is lost.
   * @throws ValidationError for a library that cannot be written, and for such a file; FileNotFoundError if the
   * directory is missing. The file is unchanged.
   *
   * @example
   * ```ts
   * const library = new PatternLibrary();
   * library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once", tags: ["api"] });
   * PatternPersistence.saveToJson(library, "patterns.json");
   * console.log(PatternPersistence.loadFromJson("patterns.json").size); // 1
   * ```
   */
  static saveToJson(library: PatternLibrary, filepath: FilePath, options?: SaveToJsonOptions): void {
    assertNoMore("saveToJson", arguments, 3);
    saveLibraryToJson(library, pathText("filepath", filepath), options);
  }

  /**
   * Reads a JSON file of section 2.4. The file is read in pieces, so that a file of any size needs little memory in
   * addition to the library.
   *
   * @param options.nonFinite Reads the tokens `NaN`, `Infinity` and `-Infinity`, which Python writes, as null or as
   * text.
   * @param options.onInvalid Called for each invalid pattern; the valid patterns are loaded. Without it, one invalid
   * pattern fails the load.
   * @throws FileNotFoundError if the file does not exist; JSONDecodeError (with `line` and `column`) if it is not JSON;
   * ValidationError (with `pointer`) if it is not a pattern library; UnsupportedFormatError for a version other than
   * 1.x.
   *
   * @example
   * ```ts
   * try {
   *   PatternPersistence.loadFromJson("nothing-saved-yet.json");
   * } catch (error) {
   *   console.log((error as Error).name); // FileNotFoundError
   * }
   * ```
   */
  static loadFromJson(filepath: FilePath, options?: LibraryLoadOptions): PatternLibrary {
    assertNoMore("loadFromJson", arguments, 2);
    return loadLibraryFromJson(pathText("filepath", filepath), options);
  }

  /**
   * Writes the tables `patterns` and `pattern_usage` in one transaction. Each queued use is written once. Patterns that
   * the library does not have are kept, and uses that other programs have saved meanwhile are added to those of the
   * library. Returns nothing, as the specification says.
   *
   * @throws ValidationError for a library that SQLite cannot store; CorruptDataError if the file is not a pattern
   * database. The database is unchanged.
   *
   * @example
   * ```ts
   * const library = new PatternLibrary();
   * library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once", tags: ["api"] });
   * PatternPersistence.saveToSqlite(library, "patterns.db");
   * console.log(PatternPersistence.loadFromSqlite("patterns.db").size); // 1
   * ```
   */
  static saveToSqlite(library: PatternLibrary, dbPath: FilePath): void;
  /**
   * The same with settings, and with a result.
   *
   * @param options.mode `merge` (the default) keeps patterns that the library does not have; `replace` removes them; `add`
   * also keeps the content of those that the database has.
   * @param options.dropInvalid Allows the mode `replace` to replace the database from which the library was loaded with
   * `onInvalid`; the reported patterns are lost.
   * @returns Numbers of rows that were written and removed.
   *
   * @example
   * ```ts
   * const library = new PatternLibrary();
   * library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once" });
   * PatternPersistence.saveToSqlite(library, "patterns.db");
   * const { removedPatterns } = PatternPersistence.saveToSqlite(new PatternLibrary(), "patterns.db", { mode: "replace" });
   * console.log(removedPatterns); // 1
   * ```
   */
  static saveToSqlite(library: PatternLibrary, dbPath: FilePath, options: SaveToSqliteOptions): SaveResult;
  static saveToSqlite(
    library: PatternLibrary,
    dbPath: FilePath,
    options?: SaveToSqliteOptions,
  ): SaveResult | undefined {
    assertNoMore("saveToSqlite", arguments, 3);
    const result = saveLibraryToSqlite(library, pathText("dbPath", dbPath), options);
    return options === undefined ? undefined : result;
  }

  /**
   * Reads the table `patterns`, in the order of its rows. Nothing is created.
   *
   * @param options.nonFinite As for {@link PatternPersistence.loadFromJson}, in the columns `context` and `tags`.
   * @param options.onInvalid As for {@link PatternPersistence.loadFromJson}, with the row as the place.
   * @throws FileNotFoundError if the file does not exist; CorruptDataError if it is not a pattern database.
   *
   * @example
   * ```ts
   * const library = new PatternLibrary();
   * library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once", tags: ["api"] });
   * PatternPersistence.saveToSqlite(library, "patterns.db");
   * console.log(PatternPersistence.loadFromSqlite("patterns.db").get("p1")?.tags); // [ 'api' ]
   * ```
   */
  static loadFromSqlite(dbPath: FilePath, options?: LibraryLoadOptions): PatternLibrary {
    assertNoMore("loadFromSqlite", arguments, 2);
    return loadLibraryFromSqlite(pathText("dbPath", dbPath), options);
  }

  /**
   * Deletes rows of the table `pattern_usage`: the uses by an agent, those of a pattern, or both conditions together. The
   * counts of their patterns are lowered by them, so that they are those of the rows that are left; `last_used` stays.
   * Deletes in steps, between which other programs can write. Uses that are queued in a library are written by its next
   * save.
   *
   * @param options.agent_id The agent that used the patterns.
   * @param options.pattern_id The used pattern.
   * @param options.erase True to leave no copy of the rows in the file and its log.
   * @param options.onProgress Called with the number of deleted rows and their total number.
   * @returns Numbers of deleted rows and of patterns whose counts were lowered.
   * @throws ValidationError without an agent and a pattern; FileNotFoundError if the file does not exist; StorageError if a
   * trigger of another program keeps a row.
   *
   * @example
   * ```ts
   * const library = new PatternLibrary();
   * library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once" });
   * library.recordUsage("p1", "agent-2", true);
   * PatternPersistence.saveToSqlite(library, "patterns.db");
   * console.log(PatternPersistence.deleteUsage("patterns.db", { agent_id: "agent-2" })); // { usageRows: 1, patterns: 1 }
   * console.log(PatternPersistence.loadFromSqlite("patterns.db").get("p1")?.usage_count); // 0
   * ```
   */
  static deleteUsage(dbPath: FilePath, options: DeleteUsageOptions): DeletedUsage {
    assertNoMore("deleteUsage", arguments, 2);
    return deleteUsageFromSqlite(pathText("dbPath", dbPath), checkedUsageDeletion(options));
  }
}
