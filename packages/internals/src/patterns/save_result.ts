import type { DropInvalid } from "./invalid_patterns.ts";

/** Options of a save to JSON. */
export type SaveToJsonOptions = DropInvalid;

/** Options of a save to a database. */
export interface SaveToSqliteOptions extends DropInvalid {
  /**
   * `merge` (the default) updates and adds by id and leaves patterns alone that the library does not have: several
   * agents may share one database. Where two of them changed one pattern, the later save wins for it. `replace` makes the table equal to the library, order included.
   */
  mode?: "merge" | "replace" | undefined;
}

/** Result of a save. */
export interface SaveResult {
  /** Patterns of the library, all of which the database now holds. */
  patterns: number;
  /** Rows added to `pattern_usage`. */
  usageRows: number;
  /** Patterns removed by `replace`. */
  removedPatterns: number;
  /** Rows of `pattern_usage` that `replace` removed with their patterns, queued ones included. `merge` keeps such queued. */
  removedUsageRows: number;
}
