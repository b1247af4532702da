import type { DropInvalid } from "./invalid_patterns.ts";

/** Options of a save to JSON. */
export interface SaveToJsonOptions extends DropInvalid {
  /**
   * Allows a save to replace a file that another program has saved since this library was loaded from it or saved to
   * it. What the other program saved is lost.
   */
  overwrite?: boolean | undefined;
}

/** Options of a save to a database. */
export interface SaveToSqliteOptions extends DropInvalid {
  /**
   * `merge` (the default) adds and updates patterns by id and keeps patterns that the library does not have, so that
   * several agents may share one database. If two agents changed the same pattern, the later save wins, except that
   * the uses that both counted since they loaded the library are added up. `replace` makes the table equal to the
   * library, including the order.
   */
  mode?: "merge" | "replace" | undefined;
}

/** Result of a save. */
export interface SaveResult {
  /** Number of patterns of the library. The database now contains all of them. */
  patterns: number;
  /** Number of rows added to `pattern_usage`. */
  usageRows: number;
  /** Number of patterns that `replace` removed. */
  removedPatterns: number;
  /**
   * Number of rows of `pattern_usage` that `replace` removed with their patterns, plus queued uses of patterns that are
   * not in the library. `merge` keeps these uses queued.
   */
  removedUsageRows: number;
}
